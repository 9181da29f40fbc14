"""What goes in beside the code, and the files that come back."""

import base64
import hashlib
import os
import pathlib
import unittest

import safe_code_executor as sce

from fakecase import Case


class TestInputs(Case):
    def test_what_is_sent(self):
        here = os.path.join(self.dir, "in.csv")
        with open(here, "wb") as f:
            f.write(b"a,b\n\xff")
        raw = base64.b64encode(b"a,b\n\xff").decode()
        rows = [
            ("stdin", {"stdin": "ü\n"}, {"stdin": "ü\n"}),
            ("stdin as bytes", {"stdin": "ü".encode()}, {"stdin": "ü"}),
            ("an empty stdin, which is not none", {"stdin": ""}, {"stdin": ""}),
            ("arguments and environment", {"args": ("a", "b"), "env": {"A": "1"}}, {"args": ["a", "b"], "env": {"A": "1"}}),
            ("files that are text", {"files": {"d/a.txt": "x"}}, {"files": [{"path": "d/a.txt", "content": "x"}]}),
            ("files that are bytes", {"files": {"a": b"\xff"}}, {"files": [{"path": "a", "content_base64": "/w=="}]}),
            ("files by path under a name", {"files": {"b.csv": pathlib.Path(here)}}, {"files": [{"path": "b.csv", "content_base64": raw}]}),
            ("files by path alone", {"files": [here, pathlib.Path(here)]}, {"files": [{"path": "in.csv", "content_base64": raw}] * 2}),
            ("globs", {"collect": ["*.png"]}, {"collect": ["*.png"]}),
            ("no globs, which is not all", {"collect": []}, {"collect": []}),
        ]
        fake, executor = self.start()
        for name, options, want in rows:
            with self.subTest(name):
                fake.reply(200, {"status": "succeeded"})
                executor.execute("python", "1", **options)
                body = fake.seen.pop()[2]
                self.assertEqual(dict({"language": "python", "code": "1"}, **want), body)

    def test_mistakes_name_their_field(self):
        large = os.path.join(self.dir, "large")
        with open(large, "wb") as f:
            f.truncate(1 << 40)
        rows = [
            ("a string for arguments", {"args": "-v"}, "args"),
            ("a string for globs", {"collect": "*.png"}, "collect"),
            ("stdin that is no text", {"stdin": b"\xff"}, "stdin"),
            ("one path for files", {"files": large}, "files"),
            ("a number for a file", {"files": {"a": "x", "b": 1}}, "files[1]"),
            ("contents in a list", {"files": [b"x"]}, "files[0]"),
            ("a file that is not there", {"files": ["/nope/none"]}, "files[0]"),
            ("a terabyte", {"files": {"a": pathlib.Path(large)}}, "files[0]"),
        ]
        for name, options, field in rows:
            with self.subTest(name), self.assertRaises(sce.InvalidRequest) as caught:
                sce.SafeCodeExecutor(self.path).execute("python", "1", **options)
            self.assertEqual(field, caught.exception.field)


def file(path, content):
    f = {"path": path, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    try:
        f["text"] = content.decode()
    except UnicodeDecodeError:
        f["content_base64"] = base64.b64encode(content).decode()
    return f


class TestFiles(Case):
    def test_files_are_read(self):
        result = sce.Result(files=[file("a.txt", "ü".encode()), file("b.png", b"\xff\0"), file("empty", b"")])
        self.assertEqual(["ü".encode(), b"\xff\0", b""], [f.content for f in result.files])
        self.assertEqual(["ü", None, ""], [f.text for f in result.files])
        self.assertEqual(b"\xff\0", result.file("b.png").content)
        # The daemon leaves out a text that is empty.
        self.assertEqual(b"", sce.Result(files=[{k: v for k, v in file("empty", b"").items() if k != "text"}]).files[0].content)

    def test_a_file_that_did_not_come_back_says_why(self):
        result = sce.Result(files=[], files_skipped=[{"path": "a", "reason": "it is a link"}])
        for path, says in [("a", "it is a link"), ("b", "left no file")]:
            with self.assertRaises(KeyError) as caught:
                result.file(path)
            self.assertIn(says, str(caught.exception))

    def test_files_that_are_not_what_they_say(self):
        good = file("a", b"x")
        for name, edit in [
            ("another size", {"size": 2}),
            ("another digest", {"sha256": "0" * 64}),
            ("no base64", {"content_base64": "!"}),
            ("no path", {"path": None, "sha256": None}),
            ("a number for text", {"text": 1}),
        ]:
            with self.subTest(name), self.assertRaises(sce.InternalError):
                sce.Result(files=[dict(good, **edit)]).files

    def test_files_are_saved_below_their_directory(self):
        into = os.path.join(self.dir, "out", "deep")
        paths = sce.Result(files=[file("a.txt", b"1"), file("d/e/b.png", b"\xff")]).save_files(into)
        self.assertEqual([os.path.join(into, "a.txt"), os.path.join(into, "d/e/b.png")], paths)
        self.assertEqual([b"1", b"\xff"], [pathlib.Path(p).read_bytes() for p in paths])

    def test_names_that_lead_out_write_nothing(self):
        for path in ["../x", "/etc/x", "a/../../x", "a/..", ".", "", "a//b", "a/", "a\\..\\b", "c:x", "a\nb", "a\0b", "a\x7f"]:
            with self.subTest(repr(path)), self.assertRaises(ValueError):
                sce.Result(files=[file("first", b"1"), file(path, b"2")]).save_files(self.dir)
            self.assertEqual([], os.listdir(self.dir))

    def test_links_are_not_followed(self):
        outside = os.path.join(self.dir, "outside")
        into = os.path.join(self.dir, "into")
        os.mkdir(outside)
        os.mkdir(into)
        pathlib.Path(outside, "kept").write_text("kept")
        os.symlink(outside, os.path.join(into, "dir"))
        os.symlink(os.path.join(outside, "kept"), os.path.join(into, "file"))
        os.symlink(os.path.join(outside, "new"), os.path.join(into, "dangling"))
        for name, path, overwrite, kind in [
            ("a directory", "dir/x", True, OSError),
            ("a file", "file", False, FileExistsError),
            ("one that leads nowhere", "dangling", False, FileExistsError),
        ]:
            with self.subTest(name), self.assertRaises(kind):
                sce.Result(files=[file(path, b"2")]).save_files(into, overwrite=overwrite)
        sce.Result(files=[file("file", b"2")]).save_files(into, overwrite=True)
        self.assertFalse(os.path.islink(os.path.join(into, "file")), "the link was replaced")
        self.assertEqual((["kept"], "kept"), (os.listdir(outside), pathlib.Path(outside, "kept").read_text()))

    def test_what_is_there_stays_unless_told(self):
        result = sce.Result(files=[file("a", b"2")])
        there = pathlib.Path(self.dir, "a")
        there.write_text("1")
        with self.assertRaises(FileExistsError) as caught:
            result.save_files(self.dir)
        self.assertEqual(os.path.join(self.dir, "a"), caught.exception.filename)
        self.assertIn("overwrite=True", str(caught.exception))
        self.assertEqual("1", there.read_text())
        result.save_files(self.dir, overwrite=True)
        self.assertEqual("2", there.read_text())
        os.mkdir(os.path.join(self.dir, "b"))
        with self.assertRaises(OSError):
            sce.Result(files=[file("b", b"2")]).save_files(self.dir, overwrite=True)


if __name__ == "__main__":
    unittest.main()
