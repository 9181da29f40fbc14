package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: the files must be root's")
	}
}

func TestFilesThatRootAloneMayRead(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	write := func(name string, mode os.FileMode, uid int) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
		require.NoError(t, os.Chown(path, uid, -1))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(write("target", 0o600, 0), link))
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	long := filepath.Join(dir, "long")
	require.NoError(t, os.WriteFile(long, make([]byte, maxPrivateFile+1), 0o600))
	for _, row := range []struct{ name, path, want string }{
		{"root's own with 0600", write("good", 0o600, 0), ""},
		{"root's own that nobody can write", write("read", 0o400, 0), ""},
		{"one that the group can read", write("group", 0o640, 0), "has mode 0640"},
		{"one that all can read", write("all", 0o604, 0), "has mode 0604"},
		{"one that may be executed", write("exec", 0o700, 0), "has mode 0700"},
		{"somebody else's", write("foreign", 0o600, 1000), "belongs to uid 1000"},
		{"a link to a good one", link, "is a symbolic link"},
		{"a fifo, which nobody writes to", fifo, "is not a regular file"},
		{"a directory", dir, "is not a regular file"},
		{"a device", "/dev/null", "is not a regular file"},
		{"one that is not there", filepath.Join(dir, "none"), "no such file"},
		{"one that is too long", long, "has more than 1048576 bytes"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, err := readPrivate(row.path)
			if row.want == "" {
				require.NoError(t, err)
				assert.Equal(t, "text", string(text))
				return
			}
			assert.ErrorContains(t, err, row.want)
		})
	}
}

// pair writes a certificate and its key.
func pair(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, of, of, private.Public(), private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, key
}

func TestWhatATCPAddressNeeds(t *testing.T) {
	needRoot(t)
	cert, key := pair(t)
	tokens := func(text string) string {
		path := filepath.Join(t.TempDir(), "tokens")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good := tokens("ci " + strings.Repeat("t", 32) + "\n")
	named := []caller{{Token: "ci"}}
	for _, row := range []struct {
		name    string
		conf    tcpConfig
		callers []caller
		want    string
	}{
		{"no address is none", tcpConfig{}, nil, ""},
		{"an address and tokens", tcpConfig{Listen: "127.0.0.1:0", TokensFile: good}, named, ""},
		{"TLS", tcpConfig{Listen: "127.0.0.1:0", TokensFile: good, TLS: tlsConfig{cert, key}}, named, ""},
		{"a token of callers that is not there", tcpConfig{Listen: "127.0.0.1:0", TokensFile: good}, []caller{{Token: "ci"}, {Token: "cj"}}, `callers[1].token is "cj", which tcp.tokens_file does not have`},
		{"no tokens", tcpConfig{Listen: "127.0.0.1:0", TokensFile: tokens("# none\n")}, nil, "holds no token"},
		{"a bad line of tokens", tcpConfig{Listen: "127.0.0.1:0", TokensFile: tokens("ci short\n")}, nil, "line 1: a token must be"},
		{"a key in place of the certificate", tcpConfig{Listen: "127.0.0.1:0", TokensFile: good, TLS: tlsConfig{key, key}}, nil, "tcp.tls:"},
		{"a key that all can read", tcpConfig{Listen: "127.0.0.1:0", TokensFile: good, TLS: tlsConfig{cert, cert}}, nil, "tcp.tls.key:"},
		{"an address that is not this host's", tcpConfig{Listen: "192.0.2.1:1", TokensFile: good, TLS: tlsConfig{cert, key}}, nil, "tcp.listen:"},
	} {
		t.Run(row.name, func(t *testing.T) {
			e, err := row.conf.open(row.callers)
			if row.want != "" {
				require.ErrorContains(t, err, row.want)
				assert.NotContains(t, err.Error(), "short", "an error shows no token")
				return
			}
			require.NoError(t, err)
			if row.conf.Listen == "" {
				assert.Nil(t, e.Listener)
				assert.Len(t, e.beside(nil), 1)
				assert.Empty(t, e.attrs())
				return
			}
			defer e.close()
			assert.Len(t, e.beside(nil), 2)
			assert.Equal(t, "ci", e.Tokens[0].Name)
			assert.Equal(t, []any{"tcp", e.Listener.Addr().String(), "tls", row.conf.TLS.Cert != ""}, e.attrs(), "the log names the address")
			secured, err := e.tls()
			require.NoError(t, err)
			assert.Equal(t, row.conf.TLS.Cert != "", secured != nil)
		})
	}
}

func TestANewTokenFitsItsLine(t *testing.T) {
	needRoot(t)
	var out, errs bytes.Buffer
	require.Equal(t, exitOK, token([]string{"new", "ci"}, stdio{nil, &out, &errs}), errs.String())
	lines := strings.Split(out.String(), "\n")
	secret := lines[1]
	require.Greater(t, len(secret), 40)
	line := lines[3] // it can be pasted whole
	assert.True(t, strings.HasPrefix(line, "ci sha256:"), line)
	assert.NotContains(t, line, secret)
	path := filepath.Join(t.TempDir(), "tokens")
	// The token itself beside its hash is the same token twice, which proves the pair.
	require.NoError(t, os.WriteFile(path, []byte(line+"\nother "+secret+"\n"), 0o600))
	_, err := tcpConfig{Listen: "127.0.0.1:0", TokensFile: path}.open(nil)
	assert.ErrorContains(t, err, "line 2: line 1 has that token already")
	for _, args := range [][]string{{}, {"new"}, {"old", "ci"}, {"new", "a b"}, {"new", "a", "b"}} {
		assert.Equal(t, exitUsage, token(args, stdio{nil, &out, &errs}), args)
	}
}

// What the broker takes for a caller the executor must take for one, too.
func TestTheHolderOfATokenRunsAProgram(t *testing.T) {
	t.Parallel()
	needRoot(t)
	secret := strings.Repeat("t", 32)
	tokens := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(tokens, []byte("ci "+secret+"\n"), 0o600))
	d := startAlone(t, "tcp: {listen: '127.0.0.1:0', tokens_file: "+tokens+"}\n")
	d.logged(t, `"tcp":"`)
	at := regexp.MustCompile(`"tcp":"([0-9.:]+)"`).FindStringSubmatch(d.log.String())
	require.NotNil(t, at, "it says where it listens")
	holder := invocation{env: []string{"SAFE_EXEC_TOKEN=" + secret}}
	assert.Equal(t, outcome{0, "42\n", ""}, holder.run(t, "run", "--url", "http://"+at[1], program(t, "p.py", "print(6*7)")))
}
