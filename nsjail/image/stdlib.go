package image

import (
	"path/filepath"
	"slices"
	"strings"
)

// What no allowed program needs of Python's standard library. It is left out so
// that what gets past the import policy finds less, and to keep the image small.
var (
	// droppedModules stand at the top of the library.
	droppedModules = []string{
		"ctypes",                                    // calls any function at any address
		"venv", "ensurepip", "distutils", "lib2to3", // building and installing
		"idlelib", "tkinter", "turtle.py", "turtledemo", // windows
		"curses", "pydoc_data", // terminals
		"__phello__", "__hello__.py", // examples
	}
	// siteModules are the host's own settings: of no use in any image, and often a
	// link out of the library.
	siteModules = []string{"sitecustomize.py", "usercustomize.py"}
	// droppedAnywhere are directories of any level.
	droppedAnywhere = []string{"test", "tests"}
	// droppedExtensions are the same for lib-dynload.
	droppedExtensions = []string{
		"_ctypes*", "_tkinter*", "_curses*", "readline*", "nis*", "ossaudiodev*",
		"_dbm*", "_gdbm*", // databases that are found at build time; dbm.dumb stays
		"_test*", "_xx*", "xx*",
	}
	// keptData are the suffixes of what is kept beside extension modules.
	keptData = []string{".py", ".json"}

	// neverCopied holds for full images as well: not part of the library, or
	// compiled by somebody else.
	neverCopied = []string{"__pycache__", "site-packages", "dist-packages", "config-*"}
)

const extensionDir = "lib-dynload"

// keepPython decides on one path of the standard library.
func keepPython(full bool) func(rel string, isDir bool) bool {
	return func(rel string, isDir bool) bool {
		name := filepath.Base(rel)
		switch {
		case matchAny(name, neverCopied), strings.HasSuffix(name, ".pyc"), slices.Contains(siteModules, rel):
			return false
		case full:
			return true
		case slices.Contains(droppedModules, rel):
			return false
		case isDir:
			return !slices.Contains(droppedAnywhere, name)
		case top(rel) == extensionDir:
			return !matchAny(name, droppedExtensions) && filepath.Ext(name) == ".so"
		default:
			return slices.Contains(keptData, filepath.Ext(name))
		}
	}
}

const (
	zoneDir = "/usr/share/zoneinfo"
	etcDir  = "/etc"
)

// localeDirs are the names of the one locale that programs may count on.
var localeDirs = []string{"/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8"}

// keepZone leaves out the second and third copy of all zones, and the host's own.
func keepZone(rel string, isDir bool) bool {
	return !slices.Contains([]string{"posix", "right", "localtime", "posixrules", "tzdata.zi"}, rel)
}

func keepAll(string, bool) bool { return true }
