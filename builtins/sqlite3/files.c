/* SPDX-License-Identifier: MIT
 *
 * SQLite's files (its VFS) over the system calls of the process.
 *
 * Locks are those of the unix VFS, at the same offsets, held by the open file: one byte that
 * says "about to write", one that keeps new readers out, and a range that readers share. They
 * vanish with the process, and what a stopped writer left is rolled back from its journal by
 * the next one, as after a crash.
 *
 * There is no memory that processes share. A database in WAL mode therefore belongs to one
 * process at a time: its index lives in that process, which holds a lock on the WAL_BYTE of the
 * database until it closes it. Others are told that it is locked.
 */
#include "builtins/sqlite3/sqlite.h"

enum {
	PENDING_BYTE = 0x40000000,
	RESERVED_BYTE,
	SHARED_FIRST,
	SHARED_SIZE = 510,
	WAL_BYTE = SHARED_FIRST + SHARED_SIZE,
	SECTOR_BYTES = 4096,
	PATH_BYTES_MAX = 4096,
	TEMP_TRIES = 32,
};

struct file {
	sqlite3_file base;
	struct cmd *c;
	int fd;
	int level;      /* SQLITE_LOCK_ */
	char *path;     /* of a database, or NULL; in the process's pool */
	char **regions; /* of the WAL index */
	int nregions;
	bool holds_wal;
};

static struct file *as_file(sqlite3_file *f)
{
	return (struct file *)(void *)f;
}

/* Keeps the error for sqlite3_system_errno. */
static int failed(int64_t err, int code)
{
	sqlite_host_now()->last_error = (int)-err;
	return code;
}

/* --- reading and writing --- */

static int file_close(sqlite3_file *base)
{
	struct file *f = as_file(base);

	if (f->path != NULL)
		pool_free(f->c->pool, f->path, strlen(f->path) + 1);
	cmd_close(f->c, f->fd);
	f->base.pMethods = NULL;
	return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *out, int n, sqlite3_int64 pos)
{
	struct file *f = as_file(base);
	char *at = out;

	while (n > 0) {
		int64_t got = cmd_pread(f->c, f->fd, at, (size_t)n, (uint64_t)pos);

		if (got == -E_INTR)
			continue;
		if (got < 0)
			return failed(got, SQLITE_IOERR_READ);
		if (got == 0) {
			memset(at, 0, (size_t)n);
			return SQLITE_IOERR_SHORT_READ;
		}
		at += got;
		pos += got;
		n -= (int)got;
	}
	return SQLITE_OK;
}

static int file_write(sqlite3_file *base, const void *data, int n, sqlite3_int64 pos)
{
	struct file *f = as_file(base);
	const char *at = data;

	while (n > 0) {
		int64_t done = cmd_pwrite(f->c, f->fd, at, (size_t)n, (uint64_t)pos);

		if (done == -E_INTR)
			continue;
		if (done == -E_NOSPC || done == 0)
			return failed(done, SQLITE_FULL);
		if (done < 0)
			return failed(done, SQLITE_IOERR_WRITE);
		at += done;
		pos += done;
		n -= (int)done;
	}
	return SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
	struct file *f = as_file(base);
	int err = cmd_truncate_fd(f->c, f->fd, (uint64_t)size);

	return err == 0 ? SQLITE_OK : failed(err, SQLITE_IOERR_TRUNCATE);
}

static int file_sync(sqlite3_file *base, int flags)
{
	(void)flags;
	return cmd_sync_fd(as_file(base)->c, as_file(base)->fd) == 0 ? SQLITE_OK
								     : SQLITE_IOERR_FSYNC;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *out)
{
	struct file *f = as_file(base);
	struct vfs_stat st;
	int err = cmd_fstat(f->c, f->fd, &st);

	if (err != 0)
		return failed(err, SQLITE_IOERR_FSTAT);
	*out = (sqlite3_int64)st.size;
	return SQLITE_OK;
}

/* --- locks --- */

static int try_lock(struct file *f, enum cmd_lock kind, uint64_t from, uint64_t len)
{
	int err = cmd_lock(f->c, f->fd, kind, from, len);

	if (err == 0)
		return SQLITE_OK;
	return err == -E_AGAIN ? SQLITE_BUSY : failed(err, SQLITE_IOERR_LOCK);
}

static int lock_shared(struct file *f)
{
	int status = try_lock(f, CMD_LOCK_SHARED, PENDING_BYTE, 1);

	if (status != SQLITE_OK)
		return status;
	status = try_lock(f, CMD_LOCK_SHARED, SHARED_FIRST, SHARED_SIZE);
	cmd_lock(f->c, f->fd, CMD_UNLOCK, PENDING_BYTE, 1);
	return status;
}

static int file_lock(sqlite3_file *base, int level)
{
	struct file *f = as_file(base);
	int status = SQLITE_OK;

	if (f->level >= level)
		return SQLITE_OK;
	if (level == SQLITE_LOCK_SHARED)
		status = lock_shared(f);
	else if (level == SQLITE_LOCK_RESERVED)
		status = try_lock(f, CMD_LOCK_EXCLUSIVE, RESERVED_BYTE, 1);
	else {
		if (f->level < SQLITE_LOCK_PENDING)
			status = try_lock(f, CMD_LOCK_EXCLUSIVE, PENDING_BYTE, 1);
		if (status == SQLITE_OK) {
			f->level = SQLITE_LOCK_PENDING;
			status = try_lock(f, CMD_LOCK_EXCLUSIVE, SHARED_FIRST, SHARED_SIZE);
		}
	}
	if (status == SQLITE_OK)
		f->level = level;
	return status;
}

static int file_unlock(sqlite3_file *base, int level)
{
	struct file *f = as_file(base);

	if (f->level <= level)
		return SQLITE_OK;
	if (level == SQLITE_LOCK_SHARED)
		try_lock(f, CMD_LOCK_SHARED, SHARED_FIRST, SHARED_SIZE);
	else
		cmd_lock(f->c, f->fd, CMD_UNLOCK, SHARED_FIRST, SHARED_SIZE);
	cmd_lock(f->c, f->fd, CMD_UNLOCK, PENDING_BYTE, 2);
	f->level = level;
	return SQLITE_OK;
}

static int file_check_reserved(sqlite3_file *base, int *out)
{
	struct file *f = as_file(base);

	*out = f->level >= SQLITE_LOCK_RESERVED ||
	       try_lock(f, CMD_LOCK_TEST, RESERVED_BYTE, 1) != SQLITE_OK;
	return SQLITE_OK;
}

/* --- the WAL index --- */

static int shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **out)
{
	struct file *f = as_file(base);
	struct cmd *c = f->c;

	(void)extend;
	if (region >= f->nregions) {
		f->regions = pool_resize(c->pool, f->regions,
					 (size_t)f->nregions * sizeof *f->regions,
					 (size_t)(region + 1) * sizeof *f->regions);
		while (f->nregions <= region)
			f->regions[f->nregions++] = pool_zalloc(c->pool, (size_t)size);
	}
	*out = f->regions[region];
	return SQLITE_OK;
}

/* Who holds the WAL_BYTE holds them all, until it closes the database. */
static int shm_lock(sqlite3_file *base, int from, int n, int flags)
{
	struct file *f = as_file(base);
	int status = SQLITE_OK;

	(void)from;
	(void)n;
	if ((flags & SQLITE_SHM_LOCK) != 0 && !f->holds_wal) {
		status = try_lock(f, CMD_LOCK_EXCLUSIVE, WAL_BYTE, 1);
		f->holds_wal = status == SQLITE_OK;
	}
	return status;
}

static void shm_barrier(sqlite3_file *base)
{
	(void)base;
}

static int shm_unmap(sqlite3_file *base, int forget)
{
	struct file *f = as_file(base);

	(void)forget;
	f->nregions = 0;
	f->regions = NULL;
	if (f->holds_wal)
		cmd_lock(f->c, f->fd, CMD_UNLOCK, WAL_BYTE, 1);
	f->holds_wal = false;
	return SQLITE_OK;
}

/* --- the rest --- */

static bool has_moved(struct file *f)
{
	struct vfs_stat here;
	struct vfs_stat there;

	return f->path != NULL && (cmd_fstat(f->c, f->fd, &here) != 0 ||
				   cmd_stat(f->c, f->path, &there) != 0 || here.ino != there.ino);
}

static int file_control(sqlite3_file *base, int op, void *arg)
{
	struct file *f = as_file(base);

	switch (op) {
	case SQLITE_FCNTL_LOCKSTATE: *(int *)arg = f->level; return SQLITE_OK;
	case SQLITE_FCNTL_LAST_ERRNO: *(int *)arg = sqlite_host_now()->last_error; return SQLITE_OK;
	case SQLITE_FCNTL_HAS_MOVED: *(int *)arg = has_moved(f); return SQLITE_OK;
	case SQLITE_FCNTL_VFSNAME: *(char **)arg = sqlite3_mprintf("unix"); return SQLITE_OK;
	default: return SQLITE_NOTFOUND;
	}
}

static int file_sector(sqlite3_file *base)
{
	(void)base;
	return SECTOR_BYTES;
}

static int file_traits(sqlite3_file *base)
{
	(void)base;
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_unlock,
	.xCheckReservedLock = file_check_reserved,
	.xFileControl = file_control,
	.xSectorSize = file_sector,
	.xDeviceCharacteristics = file_traits,
	.xShmMap = shm_map,
	.xShmLock = shm_lock,
	.xShmBarrier = shm_barrier,
	.xShmUnmap = shm_unmap,
};

/* --- names --- */

/* A new file without a name, for what does not fit into memory. */
static int open_temporary(struct cmd *c)
{
	static const char *const places[] = { "/var/tmp", "/usr/tmp", "/tmp", "." };
	const char *place = cmd_getenv(c, "SQLITE_TMPDIR");
	int fd = -E_NOENT;

	if (place == NULL || cmd_access(c, CMD_CWD, place, 3) != 0)
		place = cmd_getenv(c, "TMPDIR");
	for (size_t i = 0; (place == NULL || cmd_access(c, CMD_CWD, place, 3) != 0) && i < 4; i++)
		place = places[i];
	for (int i = 0; i < TEMP_TRIES && fd < 0; i++) {
		struct buf name = buf_in(c->arena);

		buf_printf(&name, "%s/etilqs_%llx", place, (unsigned long long)cmd_random(c));
		fd = cmd_open(c, CMD_CWD, buf_cstr(&name), O_RDWR_ | O_CREAT_ | O_EXCL_, 0600);
		if (fd >= 0)
			cmd_unlink(c, CMD_CWD, buf_cstr(&name), 0);
	}
	return fd;
}

/* A journal is as readable as its database. */
static uint32_t new_mode(struct cmd *c, const char *name, int flags)
{
	struct vfs_stat st;
	size_t len = strlen(name);
	char base[PATH_BYTES_MAX];

	if ((flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)) == 0)
		return 0644;
	while (len > 0 && name[len - 1] != '-')
		len--;
	if (len < 2 || len > sizeof base)
		return 0644;
	memcpy(base, name, len - 1);
	base[len - 1] = '\0';
	return cmd_stat(c, base, &st) == 0 ? st.mode & 0777 : 0644;
}

static int open_named(struct cmd *c, const char *name, int *flags)
{
	unsigned how = (*flags & SQLITE_OPEN_READWRITE) != 0 ? O_RDWR_ : O_RDONLY_;
	struct vfs_stat st;
	int fd;

	if ((*flags & SQLITE_OPEN_CREATE) != 0)
		how |= O_CREAT_;
	if ((*flags & SQLITE_OPEN_EXCLUSIVE) != 0)
		how |= O_EXCL_ | O_NOFOLLOW_;
	fd = cmd_open(c, CMD_CWD, name, how, new_mode(c, name, *flags));
	if (fd < 0 && fd != -E_ISDIR && (how & O_RDWR_) != 0) {
		fd = cmd_open(c, CMD_CWD, name, O_RDONLY_, 0);
		if (fd >= 0)
			*flags = (*flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) |
				 SQLITE_OPEN_READONLY;
	}
	if (fd >= 0 && cmd_fstat(c, fd, &st) == 0 && (st.mode & S_FMT) == S_DIR) {
		cmd_close(c, fd);
		fd = -E_ISDIR;
	}
	return fd;
}

static int files_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags,
		      int *out_flags)
{
	struct sqlite_host *h = sqlite_host_now();
	struct file *f = as_file(base);
	int fd = name != NULL ? open_named(h->c, name, &flags) : open_temporary(h->c);

	(void)vfs;
	f->base.pMethods = NULL;
	if (fd < 0)
		return failed(fd, SQLITE_CANTOPEN);
	if ((flags & SQLITE_OPEN_DELETEONCLOSE) != 0 && name != NULL)
		cmd_unlink(h->c, CMD_CWD, name, 0);
	*f = (struct file){ .base.pMethods = &methods, .c = h->c, .fd = fd };
	if ((flags & SQLITE_OPEN_MAIN_DB) != 0 && name != NULL)
		f->path = pool_dup(h->c->pool, bytes_of(name));
	if (out_flags != NULL)
		*out_flags = flags;
	return SQLITE_OK;
}

static int files_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	int err = cmd_unlink(sqlite_host_now()->c, CMD_CWD, name, 0);

	(void)vfs;
	(void)sync;
	if (err == -E_NOENT)
		return SQLITE_IOERR_DELETE_NOENT;
	return err == 0 ? SQLITE_OK : failed(err, SQLITE_IOERR_DELETE);
}

static int files_access(sqlite3_vfs *vfs, const char *name, int what, int *out)
{
	struct cmd *c = sqlite_host_now()->c;
	struct vfs_stat st;

	(void)vfs;
	if (what == SQLITE_ACCESS_EXISTS)
		*out = cmd_stat(c, name, &st) == 0 && ((st.mode & S_FMT) != S_REG || st.size > 0);
	else
		*out = cmd_access(c, CMD_CWD, name, 6) == 0;
	return SQLITE_OK;
}

static int files_full_path(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
	struct cmd *c = sqlite_host_now()->c;
	char *path;
	char *as_named;
	int err = cmd_canonical(c, name, CANON_MISSING, &path);

	(void)vfs;
	if (err == 0)
		err = cmd_canonical(c, name, CANON_MISSING | CANON_NOLINKS, &as_named);
	if (err != 0 || strlen(path) >= (size_t)room)
		return failed(err, SQLITE_CANTOPEN);
	memcpy(out, path, strlen(path) + 1);
	return strcmp(path, as_named) == 0 ? SQLITE_OK : SQLITE_OK_SYMLINK;
}

static int files_random(sqlite3_vfs *vfs, int n, char *out)
{
	(void)vfs;
	cmd_random_bytes(sqlite_host_now()->c, out, (size_t)n);
	return n;
}

static int files_sleep(sqlite3_vfs *vfs, int us)
{
	(void)vfs;
	cmd_sleep(sqlite_host_now()->c, (int64_t)us * 1000);
	return us;
}

static int files_time(sqlite3_vfs *vfs, sqlite3_int64 *out)
{
	static const sqlite3_int64 epoch_ms = 210866760000000; /* 1970 in days of Julian, in ms */

	(void)vfs;
	*out = epoch_ms + cmd_now(sqlite_host_now()->c) / 1000000;
	return SQLITE_OK;
}

static int files_time_days(sqlite3_vfs *vfs, double *out)
{
	sqlite3_int64 ms;

	files_time(vfs, &ms);
	*out = (double)ms / 86400000.0;
	return SQLITE_OK;
}

static int files_error(sqlite3_vfs *vfs, int room, char *out)
{
	(void)vfs;
	(void)room;
	(void)out;
	return sqlite_host_now()->last_error;
}

sqlite3_vfs sqlite_files = {
	.iVersion = 2,
	.szOsFile = sizeof(struct file),
	.mxPathname = PATH_BYTES_MAX,
	.zName = "unix",
	.xOpen = files_open,
	.xDelete = files_delete,
	.xAccess = files_access,
	.xFullPathname = files_full_path,
	.xRandomness = files_random,
	.xSleep = files_sleep,
	.xCurrentTime = files_time_days,
	.xGetLastError = files_error,
	.xCurrentTimeInt64 = files_time,
};
