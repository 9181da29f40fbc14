package escape

// Load makes a probe of a file that is not embedded, for the tests that run one.
var Load = load
