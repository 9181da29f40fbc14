// Package archtest is a test and nothing else: it holds the packages of this
// module to the imports that the design allows them, each rule with its reason.
// The rules protect two borders from being crossed by accident: what parses
// requests must not reach the kernel, and what runs inside a jail's process
// tree must stay a small program without cgo, HTTP and YAML.
//
// It reads the import graph as the go command sees it, once, with the tags of
// the release. It leaves out test files, which may import whatever they test,
// and the programs under testdata.
package archtest
