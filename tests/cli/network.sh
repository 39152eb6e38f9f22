#!/bin/bash
# --allow-url: curl, wget and http beside the real curl and wget, with a server on this machine; what
# is refused; trace, journal. usage: tests/cli/network.sh BUILD
source=$(realpath "$(dirname "$0")/../..")
"$source/tools/need" curl wget python3 || exit 1
. "$(dirname "$0")/harness" "$1"

python3 "$source/tests/cli/network_server.py" > port 2> /dev/null &
server=$!
trap 'kill $server 2> /dev/null; rm -rf "$work"' EXIT
for _ in $(seq 200); do [ -s port ] && break; sleep 0.1; done
U=http://127.0.0.1:$(< port)
export U LC_ALL=C.UTF-8
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
allowed=(--allow-url "$U/" --allow-url http://127.0.0.1:1/ --allow-method POST --allow-method PUT --allow-method DELETE --env "U=$U")

# same NAME SCRIPT: what the real tools do, in bash, and cowsh's.
same() {
	rm -rf real
	mkdir real
	check "$1" "$(cd real && bash -c "$2" 2>&1)" "$("$cowsh" "${allowed[@]}" -c "$2" 2>&1)"
}
net() { "$cowsh" "${allowed[@]}" "$@" 2>&1; }

# --- curl ---
same 'a body' 'curl -s $U/hello; echo $?'
same 'its header' 'curl -si $U/hello; curl -sI $U/hello; curl -s -D h $U/hello; cat h'
same 'methods and data' 'curl -s -d a=b -d c=d $U/echo; curl -s -X DELETE $U/echo
	printf "x\r\ny\n" > f; curl -s -d @f $U/echo; curl -s --data-binary @f $U/echo
	curl -s --data-raw @f $U/echo; curl -s --data-urlencode "n=a b&c" --data-urlencode @f $U/echo'
same 'queries' 'curl -s -G -d a=1 --data-urlencode "b=x y" "$U/echo?z"; curl -s --url-query "q=a b" $U/echo'
same 'json' 'curl -s --json "{\"a\":" --json "1}" $U/echo'
same 'headers' 'curl -s -A me -e http://r/ -H "X: y" -H "Accept:" -H "E;" $U/echo
	curl -s -H "User-Agent: other" -H "Content-Type: text/x" -d z $U/echo; printf "A: b\nC: d\n" > h; curl -s -H @h $U/echo'
same 'passwords' 'curl -s -u me:pw $U/echo; curl -s "${U/\/\//\/\/a%40b:c@}/echo"; curl -s --oauth2-bearer t $U/echo'
same 'redirects' 'curl -s $U/redirect/2; curl -sL $U/redirect/2; curl -sSL --max-redirs 1 $U/redirect/3; echo $?
	curl -siL $U/redirect/0'
same 'redirects and methods' 'for s in 301 302 303 307 308; do curl -sL -d x "$U/to?$s,/echo"; echo; done
	curl -sL -X PUT -d x "$U/to?302,/echo"; curl -sL --post302 -d x "$U/to?302,/echo"'
same 'where redirects must not lead' 'curl -sSL "$U/to?302,gopher://x/"; echo $?; curl -sSL "$U/to?302,ftp2://x/"; echo $?
	curl -sSL "$U/to?302,http://a%20b/"; echo $?'
same 'failing' 'curl -sSf $U/status/404; echo $?; curl -sS --fail-with-body $U/status/500; echo $?; curl -s $U/status/404; echo $?'
same 'broken answers' 'curl -sS $U/short; echo $?; curl -sS $U/empty; echo $?'
same 'no server' 'curl -sS http://127.0.0.1:1/; echo $?'
same 'files' 'curl -s -o a $U/hello; curl -sO $U/hello; curl -sSJO $U/named; curl -s --create-dirs -o d/e/f $U/hello
	curl -s --output-dir d -O $U/hello; for f in *; do echo "$f"; done; cat a hello "na me.txt" d/e/f d/hello'
same 'files that can not be' 'curl -sS -o /nodir/x $U/hello; echo $?; curl -sO $U/; echo $?'
same 'upload' 'echo text > f; curl -s -H Expect: -T f $U/echo; curl -s -H Expect: -T f $U/echo/; echo in | curl -s -H Expect: -H "Content-Length: 3" -H "Transfer-Encoding:" -X PUT --data-binary @- $U/echo'
same 'globs' 'curl -s "$U/{hello,status/200}"; curl -s "$U/hello[1-3]" -o "f#1"; curl -s "$U/{hello,gzip}[08-10:2]" -o "g#1_#2"; ls'
same 'bad globs' 'curl -sS "$U/[1-"; echo $?; curl -sS "$U/{a"; echo $?; curl -sS "$U/[3-1]"; echo $?'
same 'packed' 'curl -s --compressed $U/gzip; curl -s $U/gzip | gunzip'
same 'ranges' 'curl -s -r 2-4 $U/range; curl -s -C 7 $U/range; printf 0123 > f; curl -s -C - -o f $U/range; cat f'
same 'write-out' 'curl -s -o f -w "%{http_code} %{size_download} %{content_type} %{num_redirects} %{url_effective} %{method} %{filename_effective} %{redirect_url}\n" $U/redirect/2
	curl -sL -o f -w "%{response_code} %{num_redirects} %{exitcode} %{scheme} %{header{etag}} %% %{http_version}\n" $U/redirect/1
	curl -s -w "%{http_code} %{errormsg}\n" http://127.0.0.1:1/ -o f; curl -sf -w "%{onerror}failed\n" $U/status/404'
same 'protocols' 'curl -sS --proto =https $U/hello; echo $?; curl -sS --proto -all,http $U/hello; curl -sS --proto =foo,http,file $U/hello; curl -sSL --proto-redir =https $U/redirect/1; echo $?; curl -sS --proto-default http ${U#http://}/hello'
same 'logins of a file' 'h=${U#http://}; h=${h%:*}; printf "# c\nmachine x login no\nmachine $h login me password \"p w\"\nmacdef m\n cd\n\ndefault login d password e\n" > n
	curl -s --netrc-file n $U/echo; curl -s --netrc-file nope $U/echo; HOME=$PWD; cp n .netrc; curl -sn $U/echo; curl -s --netrc-optional -u u:v $U/echo; curl -s --netrc-file n ${U/\/\//\/\/joe@}/echo'
same 'only if newer' 'for d in "Sun, 06 Nov 1994 08:49:37 GMT" "-20040912 15:05:58 -0700" "06-Nov-94 EST" "=1 Jan 2000" "Sun Nov 6 8:49 94"; do curl -s -z "$d" $U/echo; done; touch -d "2001-02-03 UTC" f; curl -s -z f $U/echo; curl -sSz nonsense $U/hello'
same 'tags' 'echo "\"x\"" > t; curl -s --etag-compare t $U/echo; curl -sS --etag-compare none $U/echo; echo $?; curl -s --etag-save e $U/hello; cat e'
same 'a trace' 'curl -s --trace - -d foo=bar $U/status/200 | grep -v "^== \|Date\|[0-9a-f][0-9a-f] [0-9a-f]"; curl -s --trace-ascii t $U/hello; grep -c "" t; grep data -A1 t'
same 'rates, and where messages go' 'curl -s --limit-rate 10M $U/hello; for r in 1x x 99999999999999G; do curl --limit-rate $r $U/hello; echo $?; done; curl -sS --stderr - http://127.0.0.1:1/ | cat; curl -sS --stderr e http://127.0.0.1:1/; cat e; curl -s -y 3 -Y 1 $U/hello'
same 'cookies' 'curl -s -b k=v -c jar $U/cookie; cat jar; curl -s -b jar $U/cookie; curl -s -b jar $U/other/x -o f
	curl -s -b jar -c - $U/cookie/x'
same 'several' 'curl -s $U/hello $U/json -o f; cat f; curl -s $U/hello --next -s -d x $U/echo; curl -sf $U/status/404 $U/hello; echo $?
	curl -sf --fail-early $U/status/404 $U/hello; echo $?'
same 'config' 'printf "url = \"%s/echo\"\nheader = \"X: \\\\\"q\\\\\"\"\nsilent\n# no\ndata=a" $U > c; curl -K c; echo $U/hello | sed "s/^/url /" | curl -s -K -'
same 'dots in paths' 'curl -s $U/a/../hello; curl -s $U/./hello; curl -s "$U/hello#x"; curl -s "${U#http://}/hello"'
same 'retries' 'curl -sS --retry 1 --retry-delay 1 $U/status/503; echo $?'
same 'a pipeline' 'curl -s $U/big | head -c 20; echo; curl -s $U/big | wc -c; curl -s $U/json | tr -d " "'
same 'times' 'curl -sR -o f $U/hello; stat -c %Y f'
same 'chunks' 'curl -s $U/chunked'
check 'verbose' '> GET /hello HTTP/1.1 < HTTP/1.1 200 OK' \
	"$(net -c 'curl -sv $U/hello 2>&1 >/dev/null | grep -E "^(> GET|< HTTP)" | tr -d "\r"' | tr '\n' ' ' | sed 's/ $//')"
check 'the meter says how much' '100     6  100     6' \
	"$(net -c 'curl -o f $U/hello' | tr '\r' '\n' | tail -n 1 | cut -c1-20)"
check 'a time limit' 28 "$(net -c 'curl -s -m 0.5 $U/hang; echo $?')"
check 'the limit of time of the session' 137 "$(net --limit time=500 -c 'curl -s $U/hang' > /dev/null; echo $?)"
check 'more than 256 at once' '1 hello 256 1048576 44 0' "$(net --limit processes=2000 -c '
	for i in {1..300}; do curl -s $U/big | { sleep 2; wc -c; } & done; wait; curl -s $U/hello' |
	sort | uniq -c | sort -k2 -r | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')"
check 'forms' 'x;type=y text' "$(net -c 'echo text > f; curl -s -F "a=x;type=text/y" -F "c=<f" $U/echo' |
	tr -d '\r' | sed -n 's/^Content-Type: text/x;type=/p; /^text$/p' | sed 's|=/|=|' | tr '\n' ' ' | sed 's/ $//')"

# --- wget ---
# Times and rates are not compared.
plain='sed -E "s/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}/TIME/; s/\([-0-9.]+ [KM]?B\/s\)/(RATE)/; s/%.*=[0-9.]+s/%/; s/ +[-0-9.]+[KM]? ?=[0-9.]*s$//; s/% +[-0-9.]+[KM]? +[0-9]+s$/%/"'
same 'wget: a file' "wget \$U/hello 2>&1 | $plain; cat hello; stat -c %Y hello"
same 'wget: quietly, to stdout' 'wget -qO- $U/hello; wget -q $U/status/404; echo $?; wget -q -O f $U/hello; cat f'
same 'wget: briefly' "{ wget -nv \$U/hello; wget -nv \$U/hello; wget -nv -O o \$U/redirect/1; wget -nv \$U/status/500; echo \$?; } 2>&1 | $plain; ls"
same 'wget: redirects' "wget -O f \$U/redirect/2 2>&1 | grep -v -e '^Reusing' -e '^Connecting' | sed 's/^connected.//' | $plain"
same 'wget: errors' "{ wget \$U/status/404; echo \$?; wget -nv http://127.0.0.1:1/; echo \$?; wget gopher://x/; echo \$?; } 2>&1 | $plain"
same 'wget: what is there' "echo x > hello; wget -nc \$U/hello 2>&1; cat hello; printf 0123 > range; wget -q -c \$U/range; cat range; wget -c \$U/range 2>&1 | $plain"
same 'wget: spider' "wget --spider \$U/hello 2>&1 | $plain; wget --spider \$U/status/404 2>&1 | $plain; echo \${PIPESTATUS[0]}"
same 'wget: what the server says' "wget -S -q \$U/hello -O f 2>&1"
same 'wget: names' 'wget -q -P d $U/hello; wget -q --content-disposition $U/named; wget -q "$U/json?a=b"; wget -q -x $U/hello; find . -type f | sed "s/:[0-9]*//" | sort'
same 'wget: lists' 'printf "%s\n" $U/hello $U/json > l; wget -qi l; cat hello json; echo $U/hello | wget -qi- -O-'
check 'wget: sends' 'PUT /echo z' "$(net -c 'wget -qO- --method PUT --body-data z $U/echo' | sed -n '1p;$p' | tr '\n' ' ' | sed 's/ $//')"
check 'wget: headers' 'X: y' "$(net -c 'wget -qO- --header "X: y" -U me $U/echo' | grep X)"

# --- http ---
check 'http: JSON' '{"a": "b", "c": [1]}' "$(net -c 'http --ignore-stdin $U/echo a=b c:=[1]' | tail -n 1)"
check 'http: forms and queries' 'POST /echo?q=1+2 a=b&c=d+e' \
	"$(net -c 'http -f -I POST $U/echo q=="1 2" a=b c="d e"' | sed -n '1p;$p' | tr '\n' ' ' | sed 's/ $//')"
check 'http: what is printed' 'HTTP/1.1 404 Not Found 4' \
	"$(net -c 'http -I --headers --check-status $U/nope 2>/dev/null; echo $?' | tr -d '\r' | sed -n '1p;$p' | tr '\n' ' ' | sed 's/ $//')"
check 'http: download' hello "$(net -c 'http -I -d $U/hello; cat hello')"

# --- what is not allowed ---
refused='curl: (7) Failed to connect to 127.0.0.1 port 2 after 0 ms: Couldn'"'"'t connect to server (the host does not allow this request)'
check 'another port' "$refused" "$(net -c 'curl -sS http://127.0.0.1:2/')"
check 'nothing at all' 'curl: (6) Could not resolve host: example.org (this session has no network)' \
	"$("$cowsh" -c 'curl -sS https://example.org/' 2>&1)"
check 'a path' '7 0 7 7' "$("$cowsh" --allow-url "$U/hello" --env "U=$U" -c 'for p in echo hello hellox hello/../echo; do
	curl -s --path-as-is $U/$p > /dev/null; echo $?; done' | tr '\n' ' ' | sed 's/ $//')"
check 'a redirect that leads out' 7 "$("$cowsh" --allow-url "$U/to" --env "U=$U" -c 'curl -sL "$U/to?302,/hello"; echo $?')"
check 'a method' '7 0 0' "$("$cowsh" --allow-url "$U/" --env "U=$U" -c 'curl -s -d x $U/echo; echo $?; curl -sI $U/hello >f; echo $?
	curl -s $U/hello > f; echo $?' | tr '\n' ' ' | sed 's/ $//')"
check 'names in a URL are no way around' '7 7 7' "$(net -c 'for u in "$U@127.0.0.1:2/" "http://127.0.0.1:2/$U" "http://localhost:${U##*:}/"; do
	curl -s "$u"; echo $?; done' | tr '\n' ' ' | sed 's/ $//')"
check 'headers that smuggle' '43 43 43' "$(net -c 'for h in "Host: x" "Content-Length: 0" "Transfer-Encoding: chunked"; do
	curl -s -d "GET /echo HTTP/1.1" -H "$h" $U/echo; echo $?; done' | tr '\n' ' ' | sed 's/ $//')"
echo 'url = "http://127.0.0.1:1/"' > "$work/.curlrc"
check 'the configuration of the user is not read' hello "$(HOME=$work net -c 'curl -s $U/hello')"
check 'a dry run asks nobody' '7' "$(net --dry-run -c 'curl -s $U/hello; echo $?' | head -n 1)"
check 'no prefix' 2 "$("$cowsh" --allow-url example.org -c true 2> /dev/null; echo $?)"
check 'no curl' 'cowsh: --allow-url needs the program curl, which is not in PATH' "$(PATH=/nowhere "$cowsh" --allow-url http://x/ -c true 2>&1)"
check 'limits' 'cowsh: stopped: limit of requests (2) reached in curl, line 1' \
	"$(net --limit requests=2 -c 'curl -s $U/hello[1-3] > /dev/null' | tail -n 1)"
check 'bytes' 'cowsh: stopped: limit of network (100000) reached in curl, line 1' \
	"$(net --limit network=100000 -c 'curl -s $U/big > /dev/null')"

# --- trace, journal ---
# The program is killed: its curl ends, too.
"$cowsh" "${allowed[@]}" -c 'curl -s $U/hang' > /dev/null 2>&1 &
for ((i = 0; i < 100; i++)); do
	fetching=$(pgrep -P "$(pgrep -P $! | head -n 1)" curl) && break
	sleep 0.05
done
{ kill -KILL $! && wait $!; } 2> /dev/null
for ((i = 0; i < 40; i++)); do
	[ -d "/proc/$fetching" ] && grep -q '^State:.[^Z]' "/proc/$fetching/status" 2> err || break
	sleep 0.05
done
check 'requests end with the program' 'a request gone' "${fetching:+a request} $([ $i -lt 40 ] && echo gone)"
net --trace t.jsonl -c 'curl -s -d abc $U/echo > /dev/null' > /dev/null
check 'trace' "\"name\":\"POST\",\"path\":\"$U/echo\",\"status\":200" \
	"$(grep -o '"name":"POST","path":"[^"]*","status":[0-9]*' t.jsonl)"
net --trace t.otel --trace-format otel -c 'curl -s $U/hello' > /dev/null
check 'trace for OpenTelemetry' '"http.response.status_code","value":{"intValue":"200"}' \
	"$(grep -o '"http.response.status_code","value":{"intValue":"200"}' t.otel)"
net --journal j -c 'curl -s $U/hello; curl -s $U/big | wc -c' > first
kill $server
wait $server 2> /dev/null
"$cowsh" replay --output j > again 2> err
check 'a replay needs no network' "0 $(cat first)" "$? $(grep -v ^j: again)"
finish
