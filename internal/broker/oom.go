package broker

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Whom the kernel ends when memory runs out: programs first (1000), then the
// broker, which is replaced and whose jobs are on the disk, and last the executor,
// with which everything ends.
const (
	executorScore = -500
	brokerBehind  = 100 // the broker's score above the executor's
)

const ownScore = "/proc/self/oom_score_adj"

// Protect gives this process, and what it starts from now on, the executor's
// oom_score_adj, unless it has as low a one already. EACCES: without
// CAP_SYS_RESOURCE a score can only be raised (proc_pid_oom_score_adj(5)).
func Protect() error {
	score, err := scoreOf(ownScore)
	if err != nil || score <= executorScore {
		return err
	}
	return os.WriteFile(ownScore, []byte(strconv.Itoa(executorScore)), 0)
}

// expose makes the kernel choose the broker before this process.
func (p *process) expose() error {
	score, err := scoreOf(ownScore)
	if err != nil {
		return err
	}
	path := fmt.Sprintf("/proc/%d/oom_score_adj", p.cmd.Process.Pid)
	score = min(score+brokerBehind, 1000)
	return os.WriteFile(path, []byte(strconv.Itoa(score)), 0)
}

func scoreOf(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	score, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return score, err
}
