package observe_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"safe-exec/httpapi/observe"
)

func TestALineCountsWhoRunsAndWhoWaits(t *testing.T) {
	var l observe.Line
	first, second := l.Wait(), l.Wait()
	q := l.Queue()
	assert.Equal(t, 2, q.Waiting)
	assert.Greater(t, q.Oldest, time.Duration(0))
	first.Admitted()
	second.Leave() // it gave up
	second.Leave()
	second.Admitted() // too late
	assert.Equal(t, observe.Queue{Running: 1}, l.Queue())
	first.Leave()
	first.Leave()
	assert.Equal(t, observe.Queue{}, l.Queue())

	var none *observe.Line
	place := none.Wait()
	place.Admitted()
	place.Leave()
	assert.Equal(t, observe.Queue{}, none.Queue())
}

func TestALineIsEmptyAfterAll(t *testing.T) {
	var l observe.Line
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			p := l.Wait()
			defer p.Leave()
			if i%3 > 0 {
				p.Admitted()
			}
			l.Queue()
		})
	}
	wg.Wait()
	assert.Equal(t, observe.Queue{}, l.Queue())
}
