package posture

import (
	"os"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		if _, err := Read(os.Getpid()); err != nil {
			b.Fatal(err)
		}
	}
}
