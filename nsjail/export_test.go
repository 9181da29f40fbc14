package nsjail

// CgroupName is the name of the parent of all leaves.
func (r *Runner) CgroupName() string { return r.lease.CgroupName() }

// OwnsUID says whether a host uid is one that this Runner hands out.
func (r *Runner) OwnsUID(uid uint32) bool { return r.lease.Owns(uid) }
