/* SPDX-License-Identifier: MIT
 *
 * The functions that are written in jq. Each is parsed when a program first uses it.
 */
#include "builtins/jq/jq.h"

static const char *const definitions[] = {
	"def select(f): if f then . else empty end;",
	"def map(f): [.[] | f];",
	"def map_values(f): .[] |= f;",
	"def recurse: recurse(.[]?);",
	"def recurse(f): def r: ., (f | r); r;",
	"def recurse(f; cond): def r: ., (f | select(cond) | r); r;",
	"def values: select(. != null);",
	"def nulls: select(. == null);",
	"def booleans: select(type == \"boolean\");",
	"def numbers: select(type == \"number\");",
	"def strings: select(type == \"string\");",
	"def arrays: select(type == \"array\");",
	"def objects: select(type == \"object\");",
	"def iterables: select(type | . == \"array\" or . == \"object\");",
	"def scalars: select(type | . != \"array\" and . != \"object\");",
	"def flatten: flatten(1e9);",
	"def range($from; $to; $by): if $by > 0 then $from | while(. < $to; . + $by)"
	" elif $by < 0 then $from | while(. > $to; . + $by) else empty end;",
	"def while(cond; update): def w: if cond then ., (update | w) else empty end; w;",
	"def until(cond; update): def u: if cond then . else (update | u) end; u;",
	"def repeat(f): def r: f, r; r;",
	"def inputs: def r: (try input catch (if . == \"break\" then empty else error end))"
	" | (., r); r;",
	"def first: .[0];",
	"def last: .[-1];",
	"def last(f): reduce f as $x (null; $x);",
	"def nth($n): .[$n];",
	"def nth($n; f): if $n < 0 then error(\"nth doesn't support negative indices\")"
	" else first(_skip($n; f)) end;",
	"def _skip($n; f): foreach f as $x ($n + 1; . - 1; if . <= 0 then $x else empty end);",
	"def skip($n; f): if $n > 0 then _skip($n; f) elif $n == 0 then f"
	" else error(\"skip doesn't support negative count\") end;",
	"def isempty(g): first((g | false), true);",
	"def isvalid(f): try (f | true) catch false;",
	"def add(f): reduce f as $x (null; . + $x);",
	"def any(f): any(.[]; f);",
	"def all(f): all(.[]; f);",
	"def any(g; cond): isempty(first(g | cond | select(.))) | not;",
	"def all(g; cond): isempty(first(g | cond | select(. | not)));",
	"def in($x): . as $k | $x | has($k);",
	"def inside($x): . as $v | $x | contains($v);",
	"def JOIN($idx; idx_expr): [.[] | [., $idx[idx_expr]]];",
	"def JOIN($idx; stream; idx_expr): stream | [., $idx[idx_expr]];",
	"def JOIN($idx; stream; idx_expr; join_expr): stream | [., $idx[idx_expr]] | join_expr;",
	"def IN(s): any(s == .; .);",
	"def IN(src; s): any(src == s; .);",
	"def INDEX(stream; f): reduce (stream | [., (f | tostring)]) as [$row, $key]"
	" ({}; .[$key] = $row);",
	"def INDEX(f): INDEX(.[]; f);",
	"def ascii: [.] | implode;",
	"def todate: strftime(\"%Y-%m-%dT%H:%M:%SZ\");",
	"def fromdateiso8601: strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime;",
	"def todateiso8601: strftime(\"%Y-%m-%dT%H:%M:%SZ\");",
	"def fromdate: fromdateiso8601;",
	"def date: todate;",
	"def dateadd(u; n): . + n;",
	"def datesub(u; n): . - n;",
	"def sort_by(f): _sort_by(map([f]));",
	"def group_by(f): _group_by(map([f]));",
	"def unique_by(f): _unique_by(map([f]));",
	"def min_by(f): _min_by(map([f]));",
	"def max_by(f): _max_by(map([f]));",
	"def with_entries(f): to_entries | map(f) | from_entries;",
	"def paths: path(..) | select(length > 0);",
	"def paths(f): path(.. | select(f)) | select(length > 0);",
	"def leaf_paths: paths(scalars);",
	"def recurse_down: recurse;",
	"def scalars_or_empty: scalars;",
	"def del(f): delpaths([path(f)]);",
	"def toarray: if type == \"array\" then . else [.] end;",
	"def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));",
	"def debug(f): (f | debug | empty), .;",
	"def isfinite: type == \"number\" and (isinfinite | not);",
	"def finites: select(isinfinite or isnan | not);",
	"def normals: select(isnormal);",
	"def index($i): indices($i) | .[0];",
	"def rindex($i): indices($i) | .[-1:][0];",
	"def match(re; flags): _match(re; flags; false) | .[];",
	"def match($v): ($v | type) as $t | if $t == \"string\" then match($v; null)"
	" elif $t == \"array\" and ($v | length) > 1 then match($v[0]; $v[1])"
	" elif $t == \"array\" and ($v | length) > 0 then match($v[0]; null)"
	" else error($t + \" not a string or array\") end;",
	"def test(re; flags): _match(re; flags; true);",
	"def test($v): ($v | type) as $t | if $t == \"string\" then test($v; null)"
	" elif $t == \"array\" and ($v | length) > 1 then test($v[0]; $v[1])"
	" elif $t == \"array\" and ($v | length) > 0 then test($v[0]; null)"
	" else error($t + \" not a string or array\") end;",
	"def _capture: reduce (.captures[] | select(.name != null)) as $c ({}; .[$c.name] ="
	" $c.string);",
	"def capture(re; flags): match(re; flags) | _capture;",
	"def capture($v): match($v) | _capture;",
	"def scan($re; $flags): match($re; \"g\" + $flags) | if (.captures | length) > 0"
	" then [.captures[].string] else .string end;",
	"def scan($re): scan($re; null);",
	"def splits($re; $flags): split($re; $flags) | .[];",
	"def splits($re): splits($re; null);",
	"def split($re; $flags): _splits([match($re; $flags + \"g\")]);",
	"def sub(re; str; $flags): [match(re; $flags)] as $ms | if $ms == [] then . else"
	" [$ms[] | [_capture | str]] as $new | ($new | map(length) | max) as $n | if $n == 0 then ."
	" else range($n) as $k | _splice($ms; [$new[][$k]]) end end;",
	"def gsub(re; str; flags): sub(re; str; flags + \"g\");",
	"def gsub(re; str): sub(re; str; \"g\");",
	"def sub(re; str): sub(re; str; \"\");",
	"def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p)"
	" | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);",
	"def fromstream(f): {x: null, e: false} as $init | foreach f as $i ($init;"
	" if .e then $init else . end | if $i | length == 2"
	" then setpath([\"e\"]; $i[0] | length == 0) | setpath([\"x\"] + $i[0]; $i[1])"
	" else setpath([\"e\"]; $i[0] | length == 1) end; if .e then .x else empty end);",
	"def truncate_stream(stream): . as $n | null | stream | . as $input"
	" | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;",
	"def unique: if type == \"array\" then _unique else unique_by(.) end;",
	"def transpose: if type == \"array\" and all(.[]; type == \"array\") then _transpose"
	" else [range(0; map(length) | max // 0) as $i | [.[][$i]]] end;",
	"def walk(f): def w: if type == \"object\" then map_values(w)"
	" elif type == \"array\" then map(w) else . end | f; w;",
	"def env: $ENV;",
	"def halt_error: halt_error(5);",
	"def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w"
	" | [$x] + $w end;",
	"def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;",
	"def have_literal_numbers: true;",
	"def have_decnum: true;",
	"def bsearch($target): if length == 0 then -1 else . as $in | {low: 0, high: (length - 1)}"
	" | until(.low > .high; ((.low + .high) / 2 | floor) as $mid"
	" | if $in[$mid] == $target then {low: 1, high: 0, found: $mid}"
	" elif $in[$mid] < $target then .low = $mid + 1 else .high = $mid - 1 end)"
	" | if .found then .found else -1 - .low end end;",
	NULL,
};

/* Whether a definition is of that name and number of parameters. */
static bool defines(struct bytes text, struct bytes name, size_t nparams)
{
	size_t at = 4 + name.len;
	size_t n = 0;

	if (text.len <= at || !bytes_eq(bytes_slice(text, 4, at), name))
		return false;
	if (text.ptr[at] == '(')
		for (n = 1; text.ptr[at] != ')'; at++)
			n += text.ptr[at] == ';';
	else if (text.ptr[at] != ':')
		return false;
	return n == nparams;
}

struct bytes jq_prelude(struct bytes name, size_t nparams)
{
	for (const char *const *d = definitions; *d != NULL; d++)
		if (defines(bytes_of(*d), name, nparams))
			return bytes_of(*d);
	return BYTES("");
}

struct bytes jq_prelude_nth(size_t i, size_t *nparams)
{
	struct bytes text;
	size_t n = 4;

	if (i >= sizeof(definitions) / sizeof(definitions[0]) - 1)
		return BYTES("");
	text = bytes_of(definitions[i]);
	while (text.ptr[n] != '(' && text.ptr[n] != ':')
		n++;
	*nparams = 0;
	if (text.ptr[n] == '(') {
		*nparams = 1;
		for (size_t at = n; text.ptr[at] != ')'; at++)
			*nparams += text.ptr[at] == ';';
	}
	return bytes_slice(text, 4, n);
}
