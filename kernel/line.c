/* SPDX-License-Identifier: MIT
 *
 * Reading up to a delimiter and not a byte further: what the shell's `read` needs, which shares
 * its input with the commands around it.
 */
#include "kernel/internal.h"
#include "kernel/pipe.h"

/* Gives back the last n bytes of the view just taken. */
static void unread(struct file *f, size_t n)
{
	if (f->ops == &file_pipe)
		f->u.pipe->rpos -= n;
	else
		f->pos -= n;
}

/* Whether a view shows the file's bytes in place, so that some can be given back. */
static bool can_unread(const struct file *f)
{
	if (f->ops == &file_pipe)
		return pipe_shows(f->u.pipe);
	return f->ops == &file_regular || f->ops == &file_mem;
}

int64_t sys_view_line(struct proc *p, int fd, char delim, size_t max, const char **out)
{
	struct file *f = fd_file(p, fd);

	*out = "";
	if (f == NULL || !file_reads(f))
		return -E_BADF;
	if (!can_unread(f) || f->ops->view == NULL)
		return sys_view(p, fd, 1, out);
	int64_t n = f->ops->view(p, f, max, out);
	const char *hit = n > 0 ? memchr(*out, delim, (size_t)n) : NULL;

	/* Nobody else ran since the view was taken. */
	if (hit != NULL) {
		size_t used = (size_t)(hit - *out) + 1;

		unread(f, (size_t)n - used);
		n = (int64_t)used;
	}
	if (n > 0)
		p->bytes_read += (uint64_t)n;
	proc_charge(p, 1 + (n > 0 ? (uint64_t)n / 64 : 0));
	return n;
}
