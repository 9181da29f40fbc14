CREATE TABLE jobs (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 64),
	owner TEXT NOT NULL CHECK (length(owner) BETWEEN 1 AND 200),
	status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'timed_out', 'rejected', 'cancelled', 'error')),
	attempt INTEGER NOT NULL DEFAULT 0 CHECK (attempt BETWEEN 0 AND 1000000),
	cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
	tag REAL NOT NULL CHECK (tag BETWEEN 0 AND 1e15),
	cost REAL NOT NULL CHECK (cost BETWEEN 0.0009 AND 1024),
	created INTEGER NOT NULL CHECK (created BETWEEN 0 AND 253402300799000000),
	started INTEGER NOT NULL DEFAULT 0 CHECK (started BETWEEN 0 AND 253402300799000000),
	finished INTEGER NOT NULL DEFAULT 0 CHECK (finished BETWEEN 0 AND 253402300799000000),
	expires INTEGER NOT NULL CHECK (expires BETWEEN 0 AND 253402300799000000),
	since INTEGER NOT NULL CHECK (since BETWEEN 0 AND 253402300799000000),
	due INTEGER NOT NULL CHECK (due BETWEEN 0 AND 253402300799000000),
	ended INTEGER NOT NULL DEFAULT 0 CHECK (ended BETWEEN 0 AND 253402300799000000),
	size INTEGER NOT NULL DEFAULT 0 CHECK (size BETWEEN 0 AND 67108864),
	key TEXT CHECK (length(key) BETWEEN 1 AND 255),
	digest BLOB CHECK (length(digest) = 32),
	CHECK ((key IS NULL) = (digest IS NULL))
) STRICT;

CREATE UNIQUE INDEX jobs_key ON jobs (owner, key) WHERE key IS NOT NULL;

CREATE INDEX jobs_owner ON jobs (owner, seq);

CREATE INDEX jobs_waiting ON jobs (owner, tag, seq) WHERE status = 'queued';

CREATE INDEX jobs_due ON jobs (due) WHERE status = 'queued';

CREATE INDEX jobs_running ON jobs (seq) WHERE status = 'running';

CREATE INDEX jobs_ended ON jobs (ended, seq) WHERE status NOT IN ('queued', 'running');

CREATE INDEX jobs_ended_of ON jobs (owner, ended, seq) WHERE status NOT IN ('queued', 'running');

CREATE TABLE requests (seq INTEGER PRIMARY KEY, body BLOB NOT NULL CHECK (length(body) <= 20971520)) STRICT;

CREATE TABLE verdicts (seq INTEGER PRIMARY KEY, body BLOB NOT NULL CHECK (length(body) <= 67108864)) STRICT;

CREATE TABLE owners (
	owner TEXT PRIMARY KEY CHECK (length(owner) BETWEEN 1 AND 200),
	queued INTEGER NOT NULL DEFAULT 0 CHECK (queued >= 0),
	running INTEGER NOT NULL DEFAULT 0 CHECK (running >= 0),
	ended INTEGER NOT NULL DEFAULT 0 CHECK (ended >= 0),
	bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
	most INTEGER NOT NULL DEFAULT 1 CHECK (most BETWEEN 1 AND 1000000),
	next REAL NOT NULL DEFAULT 0 CHECK (next BETWEEN 0 AND 1e15),
	head REAL CHECK (head BETWEEN 0 AND 1e15),
	first INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX owners_waiting ON owners (head, first) WHERE queued > 0;

CREATE TABLE clock (one INTEGER PRIMARY KEY CHECK (one = 1), virtual REAL NOT NULL CHECK (virtual BETWEEN 0 AND 1e15)) STRICT;

CREATE TRIGGER jobs_added AFTER INSERT ON jobs BEGIN
	INSERT INTO owners (owner, queued, running) VALUES (NEW.owner, NEW.status = 'queued', NEW.status = 'running')
	ON CONFLICT (owner) DO UPDATE SET queued = queued + excluded.queued, running = running + excluded.running;
	UPDATE owners SET (head, first) =
		(SELECT tag, seq FROM jobs WHERE owner = NEW.owner AND status = 'queued' ORDER BY tag, seq LIMIT 1)
	WHERE owner = NEW.owner;
END;

CREATE TRIGGER jobs_changed AFTER UPDATE OF status, size, tag ON jobs BEGIN
	INSERT OR IGNORE INTO owners (owner) VALUES (NEW.owner);
	UPDATE owners SET
		queued = queued + (NEW.status = 'queued') - (OLD.status = 'queued'),
		running = running + (NEW.status = 'running') - (OLD.status = 'running'),
		ended = ended + (NEW.status NOT IN ('queued', 'running')) - (OLD.status NOT IN ('queued', 'running')),
		bytes = bytes + NEW.size - OLD.size,
		(head, first) = (SELECT tag, seq FROM jobs WHERE owner = NEW.owner AND status = 'queued' ORDER BY tag, seq LIMIT 1)
	WHERE owner = NEW.owner;
END;

CREATE TRIGGER jobs_gone AFTER DELETE ON jobs BEGIN
	UPDATE owners SET
		queued = queued - (OLD.status = 'queued'),
		running = running - (OLD.status = 'running'),
		ended = ended - (OLD.status NOT IN ('queued', 'running')),
		bytes = bytes - OLD.size,
		(head, first) = (SELECT tag, seq FROM jobs WHERE owner = OLD.owner AND status = 'queued' ORDER BY tag, seq LIMIT 1)
	WHERE owner = OLD.owner;
	DELETE FROM requests WHERE seq = OLD.seq;
	DELETE FROM verdicts WHERE seq = OLD.seq;
END;
