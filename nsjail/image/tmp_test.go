package image
import ("testing";"time";"fmt";"os";"os/exec";"syscall";"strconv";"slices";"safe-exec/policy")
func TestTmpSpeed(t *testing.T) {
	for _, l := range policy.Languages() {
		var imgs []*Image
		hs := []string{"", "within_size", "always"}
		for _, h := range hs {
			os.Setenv("HUGE", h)
			img, err := Build(t.Context(), Config{Language: l})
			if err != nil { t.Fatal(err) }
			imgs = append(imgs, img)
		}
		args := []string{"-I","-S","-B","-X","utf8","-c","import json"}
		if l == policy.JavaScript { args = []string{"-e","0"} }
		d := make([][]time.Duration, 4)
		for range 30 {
			for i := range 4 {
				c := exec.Command(imgs[0].Interpreter, args...)
				c.Env = []string{}
				c.Dir = "/"
				if i < 3 { c.SysProcAttr = &syscall.SysProcAttr{Chroot: "/proc/self/fd/"+strconv.Itoa(int(imgs[i].Mount.Fd()))} }
				s := time.Now()
				if out, err := c.CombinedOutput(); err != nil { t.Fatal(i, err, string(out)) }
				d[i] = append(d[i], time.Since(s))
			}
		}
		for i := range 4 { slices.Sort(d[i]); fmt.Print(l, " ", append(hs, "host")[i], " ", d[i][2], " ", d[i][15], "\n") }
		for i := range 3 { fmt.Println(hs[i], imgs[i].Bytes>>20) }
	}
}
