/* SPDX-License-Identifier: MIT
 *
 * Watching a session: trace events, breakpoints, and lists of what is in it.
 */
#include "cowsh_watch.h"

#include <stdarg.h>

#include "tests/unit/session.h"

enum { REGION = 256 << 20 };

static cowsh_store *store;
static char text[65536]; /* what the callbacks wrote */

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
	size_t n = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + n, sizeof text - n, format, args);
	va_end(args);
}

static cowsh *open_session(void)
{
	cowsh *s = NULL;

	text[0] = '\0';
	CHECK_EQ(cowsh_new(store, NULL, NULL, &s), 0);
	return s;
}

/* --- trace --- */

static void note(void *user, const struct cowsh_event *e)
{
	(void)user;
	if (e->kind == COWSH_EVENT_START || e->kind == COWSH_EVENT_EXEC)
		add("%s %s %s %d:%d\n", cowsh_event_name(e->kind), e->program, e->argv[0], e->stage,
		    e->line);
	else if (e->kind == COWSH_EVENT_END)
		add("end %s %d\n", e->name, e->status);
	else if (e->path != NULL)
		add("%s %s%s%s\n", cowsh_event_name(e->kind), e->path, e->path2 ? " " : "",
		    e->path2 ? e->path2 : "");
	else if (e->kind == COWSH_EVENT_LIMIT)
		add("limit %s %d\n", cowsh_limit_name(e->limit), (int)e->limit_value);
	else if (e->kind == COWSH_EVENT_COMMAND)
		add("command %d %.*s\n", (int)e->command, (int)e->text_len, e->text);
	else if (e->kind == COWSH_EVENT_CALL)
		add("call %s %s %d\n", e->program, e->name, e->line);
	else
		add("%s %d p%d f%d\n", cowsh_event_name(e->kind), e->status, (int)e->processes,
		    (int)e->files_written);
}

static void trace(cowsh *s, bool calls)
{
	struct cowsh_tracer tracer = COWSH_TRACER_INIT;

	tracer.event = note;
	tracer.calls = calls;
	CHECK_EQ(cowsh_trace(s, &tracer), 0);
}

TEST(events)
{
	cowsh *s = open_session();

	trace(s, false);
	run(s, "echo a > f\nseq 3 | tail -n 1 >> f\n( mv f g; rm g ); false");
	CHECK_EQ(cowsh_trace(s, NULL), 0);
	run(s, "true");
	CHECK_STR(text, "command 1 echo a > f\nseq 3 | tail -n 1 >> f\n( mv f g; rm g ); false\n"
			"create /home/user/f\n"
			"start fork bash 1:2\nstart fork bash 2:2\n"
			"write /home/user/f\nexec builtin seq 1:2\nend seq 0\n"
			"exec builtin tail 2:2\nend tail 0\n"
			"start fork bash 0:3\nstart builtin mv 0:3\n"
			"rename /home/user/f /home/user/g\nend mv 0\n"
			"exec builtin rm 0:3\nremove /home/user/g\nend rm 0\n"
			"result 1 p4 f4\nsummary 0 p4 f4\n");
	cowsh_free(s);
}

TEST(calls)
{
	cowsh *s = open_session();

	trace(s, true);
	run(s, "f() { cd /; }\nf; [ -d / ] && env true");
	cowsh_trace(s, NULL);
	CHECK_STR(text, "command 1 f() { cd /; }\nf; [ -d / ] && env true\n"
			"call function f 2\ncall builtin cd 1\ncall builtin [ 2\n"
			"call program env 2\nstart builtin env 0:2\ncall program true 2\n"
			"exec builtin true 0:2\nend true 0\nresult 0 p1 f0\nsummary 0 p1 f0\n");
	cowsh_free(s);
}

TEST(limit)
{
	cowsh *s = open_session();

	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 1000);
	trace(s, false);
	run(s, "while :; do :; done");
	CHECK(strstr(text, "\nlimit steps 1000\n") != NULL);
	CHECK(strstr(text, "\nresult 137") != NULL);
	cowsh_free(s);
}

TEST(tracing_changes_no_steps)
{
	static const char script[] = "mkdir {a..z}{1..9}; cd z9; for i in 1 2 3; do seq $i | sort "
				     "| wc -l > f$i; done; sleep 1";
	cowsh *plain = open_session();
	cowsh *traced = open_session();
	struct cowsh_result a = run(plain, script);
	struct cowsh_result b;

	trace(traced, true);
	b = run(traced, script);
	CHECK_EQ(a.steps, b.steps);
	CHECK_EQ(a.time_ns, b.time_ns);
	cowsh_free(plain);
	cowsh_free(traced);
}

/* --- breakpoints --- */

static int break_at(cowsh *s, int kind, const char *pattern, uint64_t step)
{
	struct cowsh_breakpoint point = COWSH_BREAKPOINT_INIT;

	point.kind = kind;
	point.pattern = pattern;
	point.step = step;
	return cowsh_break_add(s, &point);
}

static void start(cowsh *s, const char *script)
{
	CHECK_EQ(cowsh_start(s, script, strlen(script)), 0);
}

TEST(break_before_commands)
{
	struct cowsh_stop stop;
	cowsh *s = open_session();

	CHECK_EQ(cowsh_get_stop(s, &stop), -COWSH_ENOENT);
	CHECK_EQ(break_at(s, COWSH_BREAK_COMMAND, "r?", 0), 1);
	CHECK_EQ(break_at(s, COWSH_BREAK_COMMAND, "cd", 0), 2);
	start(s, "x=1\ncd /tmp\necho a > f\nfind . -name f -exec rm {} \\;\nrm -f f");
	CHECK_EQ(cowsh_step(s, 0), COWSH_BREAK);
	CHECK_EQ(cowsh_get_stop(s, &stop), 0);
	CHECK_EQ(stop.number, 2);
	CHECK_EQ(stop.line, 2);
	CHECK_STR(stop.argv[1], "/tmp");
	CHECK_STR(stop.program, "builtin");
	CHECK_EQ(cowsh_step(s, 0), COWSH_BREAK); /* of find */
	cowsh_get_stop(s, &stop);
	CHECK_EQ(stop.line, 4);
	CHECK_STR(stop.argv[1], "./f");
	CHECK_EQ(cowsh_break_remove(s, 1), 0);
	CHECK_EQ(cowsh_break_remove(s, 1), -COWSH_ENOENT);
	CHECK_EQ(cowsh_step(s, 0), COWSH_DONE);
	cowsh_free(s);
}

TEST(break_on_paths)
{
	struct cowsh_stop stop;
	struct cowsh_stat st;
	cowsh *s = open_session();

	run(s, "mkdir d; ln -s d link; echo old > d/f");
	CHECK_EQ(break_at(s, COWSH_BREAK_PATH, "/home/user/d/*", 0), 1);
	start(s, "cat d/f; echo new > link/../link/f; mv d/f g; mkdir other");
	CHECK_EQ(cowsh_step(s, 0), COWSH_BREAK);
	cowsh_get_stop(s, &stop);
	CHECK_STR(stop.action, "write");
	CHECK_STR(stop.path, "/home/user/d/f");
	CHECK_EQ(cowsh_stat_file(s, "/home/user/d/f", &st), 0);
	CHECK_EQ(st.size, 4); /* not yet truncated */
	CHECK_EQ(cowsh_step(s, 0), COWSH_BREAK);
	cowsh_get_stop(s, &stop);
	CHECK_STR(stop.action, "rename");
	CHECK_STR(stop.path2, "/home/user/g");
	CHECK_EQ(cowsh_step(s, 0), COWSH_DONE);
	cowsh_free(s);
}

TEST(break_at_a_step_and_go_on)
{
	static const char script[] = "for i in {1..50}; do seq $i | sort -r | head -n 1; done";
	struct cowsh_stop stop;
	struct cowsh_result r;
	cowsh *plain = open_session();
	cowsh *s = open_session();
	uint64_t want = run(plain, script).steps;

	CHECK_EQ(break_at(s, COWSH_BREAK_STEP, NULL, 1000), 1);
	CHECK_EQ(break_at(s, COWSH_BREAK_COMMAND, "sort", 0), 2);
	start(s, script);
	for (int stops = 0; cowsh_step(s, 100) != COWSH_DONE; stops++) {
		CHECK(stops < 10000);
		if (cowsh_get_stop(s, &stop) == 0 && stop.kind == COWSH_BREAK_STEP)
			CHECK(stop.steps >= 1000 && stop.steps < 1100);
	}
	cowsh_get_result(s, &r);
	CHECK_EQ(r.steps, want);
	cowsh_free(plain);
	cowsh_free(s);
}

TEST(break_in_the_background)
{
	struct cowsh_stop stop;
	cowsh *s = open_session();

	CHECK_EQ(break_at(s, COWSH_BREAK_COMMAND, "seq", 0), 1);
	run(s, "(sleep 1; seq 3 > f) &");
	CHECK_EQ(cowsh_drain(s, 0), COWSH_BREAK);
	cowsh_get_stop(s, &stop);
	CHECK_STR(stop.argv[0], "seq");
	CHECK_EQ(cowsh_drain(s, 0), COWSH_DONE);
	cowsh_free(s);
}

/* --- lists --- */

static int note_process(void *user, const struct cowsh_process *p)
{
	(void)user;
	add("%d %d %c %s %s %s\n", p->pid, p->stage, p->state, p->program, p->argv[0], p->cwd);
	return 0;
}

static int note_variable(void *user, const struct cowsh_variable *v)
{
	const char *prefix = user;

	if (strncmp(v->name, prefix, strlen(prefix)) == 0)
		add("%s -%s %s\n", v->name, v->attributes, v->value != NULL ? v->value : "unset");
	return 0;
}

static int note_descriptor(void *user, const struct cowsh_descriptor *d)
{
	(void)user;
	add("%d %s %s %d\n", d->fd, d->kind, d->path != NULL ? d->path : "", (int)d->pos);
	return 0;
}

TEST(lists)
{
	char prefix[] = "my_";
	struct cowsh_stop stop;
	cowsh *s = open_session();

	break_at(s, COWSH_BREAK_COMMAND, "stop", 0);
	start(s,
	      "stop() { :; }; my_x=1; declare -A my_a=([k]=v); declare -ri my_n=7; declare my_u\n"
	      "echo hello > /tmp/f; exec 5< /tmp/f; read -u 5 my_line\n"
	      "( my_x=2; cd /; sleep 1 | cat & stop )");
	CHECK_EQ(cowsh_step(s, 0), COWSH_BREAK);
	cowsh_get_stop(s, &stop);
	CHECK_EQ(cowsh_list_processes(s, note_process, NULL), 0);
	CHECK(strstr(text, "1 0 S session bash /home/user\n") != NULL);
	CHECK(strstr(text, "2 0 R fork bash /\n") != NULL);
	text[0] = '\0';
	CHECK_EQ(cowsh_list_variables(s, stop.pid, note_variable, prefix), 0);
	CHECK_STR(text,
		  "my_a -A ([k]=\"v\" )\nmy_line - hello\nmy_n -ir 7\nmy_u - unset\nmy_x - 2\n");
	text[0] = '\0';
	CHECK_EQ(cowsh_list_variables(s, 0, note_variable, prefix), 0);
	CHECK(strstr(text, "my_x - 1\n") != NULL);
	CHECK_EQ(cowsh_list_variables(s, 999, note_variable, prefix), -3);
	text[0] = '\0';
	CHECK_EQ(cowsh_list_descriptors(s, stop.pid, note_descriptor, NULL), 0);
	CHECK_STR(text, "0 console  0\n1 console  0\n2 console  0\n5 file /tmp/f 6\n");
	CHECK_EQ(cowsh_step(s, 0), COWSH_DONE);
	cowsh_free(s);
}

TEST(looking_changes_no_steps)
{
	static const char script[] = "mkdir {a..z}{1..9}; cd z9; x=(1 2 3); for i in {1..20}; do "
				     "y=$(seq $i | wc -l); done; "
				     "echo $RANDOM$RANDOM > f; sleep 2; ls";
	char prefix[] = "";
	struct cowsh_result r;
	cowsh *plain = open_session();
	cowsh *s = open_session();
	uint64_t want = run(plain, script).steps;

	break_at(s, COWSH_BREAK_COMMAND, NULL, 0);
	start(s, script);
	for (int state; (state = cowsh_step(s, 0)) != COWSH_DONE;) {
		struct cowsh_stop stop;

		CHECK_EQ(state, COWSH_BREAK);
		cowsh_get_stop(s, &stop);
		text[0] = '\0';
		cowsh_list_processes(s, note_process, NULL);
		cowsh_list_variables(s, stop.pid, note_variable, prefix);
		cowsh_list_descriptors(s, stop.pid, note_descriptor, NULL);
	}
	cowsh_get_result(s, &r);
	CHECK_EQ(r.steps, want);
	cowsh_free(plain);
	cowsh_free(s);
}

int main(void)
{
	store = new_store(REGION);
	RUN(events);
	RUN(calls);
	RUN(limit);
	RUN(tracing_changes_no_steps);
	RUN(break_before_commands);
	RUN(break_on_paths);
	RUN(break_at_a_step_and_go_on);
	RUN(break_in_the_background);
	RUN(lists);
	RUN(looking_changes_no_steps);
	return check_end();
}
