package escape

// askable are the levels to run a probe under, and a row for each under which it
// cannot be asked.
func (b *Battery) askable(p Probe) (unasked []Row, levels []string) {
	for _, level := range b.Levels {
		if p.Profile != "" && level != "relaxed" {
			continue // a profile of its own is for native calls, with no policy before them
		}
		if p.Level != "" && p.Level != level {
			continue // it needs what the other levels do not give, or what this one does
		}
		why := b.Targets.lacking(p)
		if b.Lacking != nil && why == "" {
			why = b.Lacking(p, level)
		}
		if why != "" {
			unasked = append(unasked, Row{Probe: p, Policy: level, Verdict: NotAsked, Evidence: why})
			continue
		}
		levels = append(levels, level)
	}
	return unasked, levels
}
