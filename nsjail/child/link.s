// Lets functions of the runtime be declared without a body.
