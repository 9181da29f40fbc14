/*
 * What the init does once the payload is dead and the daemon asks: it lists the
 * working directory and hands over the bytes of single files. Package wire
 * (collect.go) has the packets.
 */
#ifndef SAFE_EXEC_COLLECT_H
#define SAFE_EXEC_COLLECT_H

/* Serves one request on the control socket. Does not return from one that is
 * malformed, nor when nobody hears the answer. */
void serve_collector(int control);

#endif
