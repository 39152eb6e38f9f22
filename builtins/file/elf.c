/* SPDX-License-Identifier: MIT
 *
 * ELF programs, objects and libraries: what their headers, segments and notes tell.
 */
#include "builtins/file/file.h"

enum { SEGMENTS_MAX = 2048, NOTES_MAX = 256, WINDOWS = 2, WINDOW_BYTES = 16384, TEXT_MAX = 4096 };

/* A piece of what lies behind the beginning that was read. */
struct window {
	uint64_t at;
	struct bytes data;
	char *room;
};

struct elf {
	struct guess *g;
	bool wide; /* 64 bits */
	bool big;
	bool dynamic;
	bool pie;
	bool symbols;
	bool debug;
	const char *interpreter;
	struct buf notes;
	int fd; /* -1: not yet open */
	struct window window[WINDOWS];
};

/* Sections are at the end of files: at most `n` bytes there, valid until WINDOWS - 1 more such
 * calls. */
static struct bytes bytes_at(struct elf *e, uint64_t at, size_t n)
{
	struct bytes s = e->g->data;
	struct cmd *c = e->g->c;
	struct window *w = &e->window[0];

	if (at < s.len && (s.len - at >= n || s.len < LOOK_BYTES))
		return bytes_slice(s, (size_t)at, s.len - at > n ? (size_t)at + n : s.len);
	if (s.len < LOOK_BYTES || e->g->path == NULL || at > INT64_MAX)
		return BYTES("");
	for (int i = 0; i < WINDOWS; i++)
		if (at >= e->window[i].at && at + n <= e->window[i].at + e->window[i].data.len)
			return bytes_slice(e->window[i].data, (size_t)(at - e->window[i].at),
					   (size_t)(at - e->window[i].at) + n);
	if (e->fd == -1)
		e->fd = cmd_open(c, CMD_CWD, e->g->path, 0, 0);
	if (e->fd < 0)
		return BYTES("");
	struct window oldest = e->window[WINDOWS - 1];

	memmove(&e->window[1], &e->window[0], (WINDOWS - 1) * sizeof *w);
	*w = oldest;
	if (w->room == NULL)
		w->room = arena_alloc(c->arena, WINDOW_BYTES);
	int64_t got = cmd_pread(c, e->fd, w->room, WINDOW_BYTES, at);

	w->at = at;
	w->data = (struct bytes){ w->room, got > 0 ? (size_t)got : 0 };
	cmd_charge_bytes(c, WINDOW_BYTES);
	return bytes_slice(w->data, 0, w->data.len < n ? w->data.len : n);
}

static uint64_t get(struct elf *e, uint64_t at, size_t size)
{
	struct bytes s = bytes_at(e, at, size);

	return e->big ? load_be(s, 0, size) : load_le(s, 0, size);
}

/* The text there up to its NUL; NULL: it has none. */
static const char *text_at(struct elf *e, uint64_t at)
{
	struct bytes s = bytes_at(e, at, TEXT_MAX);
	const char *end = s.len > 0 ? memchr(s.ptr, '\0', s.len) : NULL;

	return end != NULL ? arena_dup(e->g->c->arena, bytes_slice(s, 0, (size_t)(end - s.ptr)))
			   : NULL;
}

/* A field whose place and size depend on the class. */
static uint64_t field(struct elf *e, uint64_t base, size_t at32, size_t at64)
{
	return get(e, base + (e->wide ? at64 : at32), e->wide ? 8 : 4);
}

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case 2: return "SPARC";
	case 3: return "Intel 80386";
	case 8: return "MIPS";
	case 20: return "PowerPC or cisco 4500";
	case 21: return "64-bit PowerPC or cisco 7500";
	case 22: return "IBM S/390";
	case 40: return "ARM";
	case 62: return "x86-64";
	case 183: return "ARM aarch64";
	case 243: return "UCB RISC-V";
	default: return NULL;
	}
}

static void take_note(struct elf *e, uint64_t name, uint64_t name_len, uint64_t desc,
		      uint64_t desc_len, uint64_t type)
{
	if (name_len != 4 || !bytes_eq(bytes_at(e, name, 4), BYTES("GNU\0")))
		return;
	if (type == 3 && (desc_len == 20 || desc_len == 16 || desc_len == 8)) {
		buf_puts(&e->notes, desc_len == 20   ? ", BuildID[sha1]="
				    : desc_len == 16 ? ", BuildID[md5/uuid]="
						     : ", BuildID[xxHash]=");
		for (uint64_t i = 0; i < desc_len; i++)
			buf_printf(&e->notes, "%02x", (unsigned)get(e, desc + i, 1));
	}
	if (type == 1 && desc_len >= 16)
		buf_printf(&e->notes, ", for %s %u.%u.%u",
			   get(e, desc, 4) == 0 ? "GNU/Linux" : "GNU/Hurd",
			   (unsigned)get(e, desc + 4, 4), (unsigned)get(e, desc + 8, 4),
			   (unsigned)get(e, desc + 12, 4));
}

static void read_notes(struct elf *e, uint64_t at, uint64_t size, uint64_t align)
{
	uint64_t end = at + size;
	uint64_t round = align == 8 ? 7 : 3;

	for (int n = 0; n < NOTES_MAX && at + 12 <= end && end > at && size <= INT32_MAX; n++) {
		uint64_t name_len = get(e, at, 4);
		uint64_t desc_len = get(e, at + 4, 4);
		uint64_t desc = at + 12 + ((name_len + 3) & ~(uint64_t)3);

		desc = align == 8 ? (desc + 7) & ~(uint64_t)7 : desc;
		take_note(e, at + 12, name_len, desc, desc_len, get(e, at + 8, 4));
		at = (desc + desc_len + round) & ~round;
		cmd_charge(e->g->c, 1);
	}
}

/* DF_1_PIE in the dynamic segment. */
static void read_dynamic(struct elf *e, uint64_t at, uint64_t size)
{
	uint64_t step = e->wide ? 16 : 8;

	for (uint64_t i = 0; i + step <= size && i < 16 * SEGMENTS_MAX; i += step) {
		uint64_t tag = get(e, at + i, e->wide ? 8 : 4);

		if (tag == 0)
			break;
		if (tag == 0x6ffffffb)
			e->pie = (get(e, at + i + step / 2, e->wide ? 8 : 4) & 0x08000000) != 0;
		cmd_charge(e->g->c, 1);
	}
}

static void read_segments(struct elf *e)
{
	uint64_t base = field(e, 0, 28, 32);
	uint64_t size = get(e, e->wide ? 54 : 42, 2);
	uint64_t n = get(e, e->wide ? 56 : 44, 2);

	for (uint64_t i = 0; i < n && i < SEGMENTS_MAX; i++) {
		uint64_t at = base + i * size;
		uint64_t offset = field(e, at, 4, 8);
		uint64_t length = field(e, at, 16, 32);

		cmd_charge(e->g->c, 1);
		switch (get(e, at, 4)) {
		case 2:
			e->dynamic = true;
			read_dynamic(e, offset, length);
			break;
		case 3:
			if (length > 0)
				e->interpreter = text_at(e, offset);
			break;
		case 4: read_notes(e, offset, length, field(e, at, 28, 48)); break;
		default: break;
		}
	}
}

static bool section_is(struct elf *e, uint64_t names, uint64_t section, struct bytes name)
{
	return bytes_eq(bytes_at(e, names + get(e, section, 4), name.len), name);
}

static void read_sections(struct elf *e, bool notes)
{
	uint64_t base = field(e, 0, 32, 40);
	uint64_t size = get(e, e->wide ? 58 : 46, 2);
	uint64_t n = get(e, e->wide ? 60 : 48, 2);
	uint64_t names = field(e, base + get(e, e->wide ? 62 : 50, 2) * size, 16, 24);

	for (uint64_t i = 0; i < n && i < SEGMENTS_MAX; i++) {
		uint64_t at = base + i * size;
		uint64_t type = get(e, at + 4, 4);

		e->symbols |= type == 2;
		e->debug |= section_is(e, names, at, BYTES(".debug_info\0"));
		if (notes && type == 7)
			read_notes(e, field(e, at, 16, 24), field(e, at, 20, 32), 4);
		cmd_charge(e->g->c, 1);
	}
}

bool guess_elf(struct guess *g)
{
	struct elf e = { .g = g, .notes = buf_in(g->c->arena), .fd = -1 };
	struct bytes s = g->data;

	if (!HAS(s, 0, "\177ELF") || s.len < 52)
		return false;
	e.wide = s.ptr[4] == 2;
	e.big = s.ptr[5] == 2;
	unsigned type = (unsigned)get(&e, 16, 2);
	const char *machine = machine_name((unsigned)get(&e, 18, 2));

	read_segments(&e);
	read_sections(&e, false);
	if (e.fd >= 0)
		cmd_close(g->c, e.fd);
	buf_printf(&g->text, "ELF %s-bit %s ", e.wide ? "64" : "32", e.big ? "MSB" : "LSB");
	buf_puts(&g->text, type == 1            ? "relocatable"
			   : type == 2          ? "executable"
			   : type == 3 && e.pie ? "pie executable"
			   : type == 3          ? "shared object"
			   : type == 4          ? "core file"
						: "unknown type");
	g->mime = type == 1            ? "application/x-object"
		  : type == 2          ? "application/x-executable"
		  : type == 3 && e.pie ? "application/x-pie-executable"
		  : type == 3          ? "application/x-sharedlib"
		  : type == 4          ? "application/x-coredump"
				       : "application/octet-stream";
	if (machine != NULL)
		buf_printf(&g->text, ", %s", machine);
	else
		buf_printf(&g->text, ", *unknown arch 0x%x*", (unsigned)get(&e, 18, 2));
	buf_printf(&g->text, ", version %u (%s)", (unsigned)get(&e, 20, 4),
		   s.ptr[7] == 3   ? "GNU/Linux"
		   : s.ptr[7] == 9 ? "FreeBSD"
				   : "SYSV");
	if ((g->skip & SKIP_ELF) != 0)
		return true;
	if ((type == 2 || type == 3) && get(&e, e.wide ? 56 : 44, 2) == 0)
		buf_puts(&g->text, ", no program header");
	else if (type == 2 || type == 3)
		buf_puts(&g->text, !e.dynamic ? ", statically linked"
				   : type == 3 && e.interpreter == NULL && e.pie
					   ? ", static-pie linked"
					   : ", dynamically linked");
	if (e.interpreter != NULL)
		buf_printf(&g->text, ", interpreter %s", e.interpreter);
	buf_add(&g->text, buf_bytes(&e.notes));
	if (e.debug)
		buf_puts(&g->text, ", with debug_info");
	buf_puts(&g->text, e.symbols ? ", not stripped" : ", stripped");
	return true;
}
