# technique: a logging configuration imports what a text names
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import logging.config
    return logging.config.BaseConfigurator({}).convert("ext://o" + "s")

start_process(trick)
