// Package posture reads from outside what the kernel enforces on a live
// process, and compares it whole with what was asked for. It is how the daemon
// knows, before it hands over the user's code, that every layer holds: the
// word of the jailed side is never taken for it.
//
// Sets may be smaller than expected where the kernel is stricter, never larger.
// What /proc does not show (Landlock, securebits, a limit of nested user
// namespaces) is proved inside by calls that must fail; see package child.
package posture
