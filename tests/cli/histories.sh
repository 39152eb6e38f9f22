#!/bin/bash
# Random histories made by the real git, with every way it has to store them, are read and changed
# here; the real git then judges what came of it.
# usage: tests/cli/histories.sh BUILD [SEED]...
if ! command -v git > /dev/null; then
	echo 'skipped: the real git is not here (apt-get install git)'
	echo '0 passed, 0 failed, 1 skipped'
	exit 0
fi
. "$(dirname "$0")/harness" "$1"
shift
[ $# != 0 ] || set -- 1 2 3 4 5 6
export GIT_AUTHOR_NAME='A U' GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME='C O' GIT_COMMITTER_EMAIL=c@x
export GIT_CONFIG_NOSYSTEM=1 GIT_EDITOR=true HOME=$work LANG=C.UTF-8 TZ=UTC

# Runs a script at a place below the work directory; with --apply it leaves there what it did.
inside() {
	local env=() place=$1 script=$2
	shift 2
	for name in "${!GIT_@}" HOME LANG TZ; do env+=(--env "$name=${!name}"); done
	"$cowsh" "${env[@]}" --mount "$work:$work" --cwd "$place" "$@" -c "$script" < /dev/null 2>&1 | tr -d '\0'
}
outside() { (cd "$1" && eval "$2") < /dev/null 2>&1 | tr -d '\0'; }
pick() {
	local n=$((RANDOM % $# + 1))
	one=${!n}
}
tick() {
	time=$((time + RANDOM % 5000))
	pick +0000 +0530 -0800
	export GIT_AUTHOR_DATE="$time $one" GIT_COMMITTER_DATE="$((time + RANDOM % 9)) +0000"
}

# Some files change in one of many ways, and that is a commit.
change() {
	local file
	for i in 1 2; do
		pick a b.txt d/x d/e/f/z é 'with space' q\"uote lib.c D2/readme x.bin -dash d.c
		file=./$one
		mkdir -p "${file%/*}"
		[ ! -L "$file" ] || rm "$file"
		case $((RANDOM % 9)) in
		0) : > "$file" ;;
		1) printf 'a\0b%d' $RANDOM > "$file" ;;
		2) seq $((RANDOM % 50)) $((RANDOM % 1500 + 60)) > "$file" ;;
		3) printf 'l1\r\nl%d\r\n' $((RANDOM % 9)) > "$file" ;;
		4) printf 'no newline %d' $RANDOM > "$file" ;;
		5) printf 'int f(void)\n{\n\treturn %d;\n}\n\n' $((RANDOM % 99)) >> "$file" ;;
		6) rm -f "$file" ;;
		7) rm -f "$file" && ln -s target$((RANDOM % 3)) "$file" ;;
		8) seq 40 >> "$file" && chmod +x "$file" ;;
		esac
	done
	tick
	pick plain 'subject

body
' 'é ünï' "$RANDOM"
	git add -A && git commit -q --allow-empty -m "$one"
}

history() {
	local branches=(main)
	git init -qb main
	printf '*.txt text\n*.c diff=cpp\n*.bin binary\nD2/* eol=crlf\n' > .gitattributes
	printf '*.o\nbuild/\n' > .gitignore
	for ((step = 0; step < 14; step++)); do
		[ $step -ge 3 ] || { change && continue; }
		case $((RANDOM % 12)) in
		0 | 1) git checkout -q -b b$step HEAD~1 && branches+=(b$step) && change ;;
		2) pick "${branches[@]}" && git checkout -q "$one" ;;
		3 | 4) pick "${branches[@]}" && tick &&
			{ git merge -q --no-edit "$one" || { git add -A && git commit -q --no-edit; }; } ;;
		5) tick && git merge -q --no-edit "${branches[@]}" || git reset -q --hard ;;
		6) tick && git tag -a -m "tag $step" t$step && git tag -a -m nested n$step t$step ;;
		7) tick && git notes add -f -m "note $step" && git replace -f HEAD~1 HEAD~2 ;;
		8) echo s > stashed && git add stashed && tick && git stash -q ;;
		9) git update-index --add --cacheinfo 160000,"$(git rev-parse HEAD)",sub && change ;;
		*) change ;;
		esac
	done
	git replace -d $(git replace) || true
}

# How it is stored.
storage() {
	pick 'git gc -q --aggressive' 'git -c repack.useDeltaBaseOffset=false repack -adfq' 'git repack -adbq' \
		'git repack -q; git multi-pack-index write' 'git -c pack.indexVersion=1 repack -adq' :
	eval "$one"
	pick 'git commit-graph write --reachable --changed-paths' 'git pack-refs --all' :
	eval "$one"
	git update-index --index-version $((RANDOM % 3 + 2))
	pick 'git replace --graft HEAD' 'git update-index --assume-unchanged b.txt' \
		'git worktree add -q ../tree HEAD~1; cd ../tree' 'cd ..; git clone -q --depth 3 file://$PWD/r s; cd s' \
		'cd ..; git clone -q --shared r s; cd s' 'cd ..; git clone -q --no-local r s; cd s'
	eval "$one"
	echo dirty >> a && rm -f b.txt && echo new > untracked && git add -N untracked
	pwd > "$work/place"
}

look='git status; git status --porcelain=v2 --branch; git log --stat --summary -M --decorate
git log -p -m --all; git log --graph --oneline --decorate --all; git log -c -p --raw; git log --cc --stat
git log --format="%H %T %P %an %ad %cd %s%n%b%d %N" --all --author-date-order; git log --follow --oneline -- a
git reflog; git diff; git diff --cached; git diff HEAD~2 HEAD -M -C -C --raw; git diff HEAD~2 HEAD -W
git diff HEAD~1; git diff-index --cached HEAD; git fsck --full --strict --no-dangling
git blame -s HEAD -- a; git ls-files -s; git ls-files -v; git ls-tree -r -l -t HEAD
git cat-file --batch-check --batch-all-objects; git rev-list --objects HEAD; git rev-list --all --parents
git for-each-ref; git branch -avv; git describe --all --always; git stash list; git shortlog -sn --all
git grep -n line; git archive HEAD | sha1sum; git cherry -v main'
work_on='git commit -qam all; git merge -q --no-edit -X theirs main; git cherry-pick -X ours HEAD~1; git stash -q
echo c > new; git add new; git commit -qm new; git rebase -q HEAD~2; git tag -a -m t made; git gc -q
git mv new moved; git commit -qam moved; git reset -q --soft HEAD~1; git notes add -f -m n; git pack-refs --all'
judge='git fsck --full --strict 2>&1 | grep -v dangling; git status --porcelain=v2 --branch; git ls-files -s
git log --all --format="%H %T %P %D %gd"; git log -g --format="%H %gs"; git for-each-ref; git stash list'

for seed; do
	rm -rf r s tree theirs
	mkdir r
	# A subshell forgets the seed of its parent.
	(cd r && RANDOM=$seed time=1700000000 && history && storage) > /dev/null 2>&1
	place=$(cat place)
	export GIT_AUTHOR_DATE='1800000000 +0100' GIT_COMMITTER_DATE='1800000000 +0100'
	check "history $seed is read" "$(outside "$place" "$look")" "$(inside "$place" "$look")"
	mkdir theirs && cp -a r theirs && for d in s tree; do [ ! -d $d ] || cp -a $d theirs; done
	outside "$place" "$work_on" > /dev/null
	wanted=$(outside "$place" "$judge")
	rm -rf r s tree && mv theirs/* .
	inside "$place" "$work_on" --apply > /dev/null
	check "history $seed is changed" "$wanted" "$(outside "$place" "$judge")"
done
finish
