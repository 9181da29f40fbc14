// Package metrics counts what the API did, in the Prometheus text format.
//
// It protects the monitoring from callers: every label's values are a closed set of
// ours, whatever a request or a program says. What is in none is counted as other;
// no id, uid, token or path is a label.
package metrics
