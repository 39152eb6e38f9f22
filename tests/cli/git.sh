#!/bin/bash
# Repositories made on one side open on the other: here and in the real git.
# usage: tests/cli/git.sh BUILD
if ! command -v git > /dev/null; then
	echo 'skipped: the real git is not here (apt-get install git)'
	echo '0 passed, 0 failed, 1 skipped'
	exit 0
fi
. "$(dirname "$0")/harness" "$1"
export GIT_AUTHOR_NAME='A U' GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME='C O' GIT_COMMITTER_EMAIL=c@x
export GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000000 +0100' HOME=$work
env=()
for name in "${!GIT_@}"; do env+=(--env "$name=${!name}"); done

# Runs a script in the sandbox with the directory at /w.
inside() { "$cowsh" "${env[@]}" --env HOME=/w --mount "$work:/w" -c "cd /w/$1; $2" 2>&1; }

make='for i in 1 2 3 4 5; do seq $i 40 > f$i; mkdir -p d$i/e; seq $i 60 > d$i/e/x; git add .; git commit -qm c$i; done
git tag -a v1 -m one; git checkout -qb side HEAD~2; echo s > s; git add s; git commit -qm side; git checkout -q main
git merge -q --no-edit side; git mv f1 moved; git commit -qm moved; echo l > f2; git stash -q; git branch other HEAD~3'
look='git log --oneline --graph --all --decorate; git status -sb; git ls-tree -r HEAD; git stash list
	git diff --stat HEAD~3 HEAD; git for-each-ref; git cat-file -p v1'

git init -qb main real && (cd real && eval "$make") > /dev/null 2>&1
outside=$(cd real && eval "$look" 2>&1)
check 'loose objects of the real git' "$outside" "$(inside real "$look")"
log=$(cd real && git reflog)
check 'logs' "$log" "$(inside real 'git reflog')"
(cd real && git gc -q --aggressive && git pack-refs --all)
check 'packs and packed references' "$outside" "$(inside real "$look")"
(cd real && git update-index --index-version 4 && echo z > z && git add -N z)
check 'an index of version 4' "$(cd real && git ls-files -s && git status -s)" \
	"$(inside real 'git ls-files -s; git status -s')"

# A repository made in the sandbox, carried out as an archive.
"$cowsh" "${env[@]}" --env HOME=/tmp -c "cd /tmp; git init -qb main made; cd made; { $make
	} > /dev/null 2>&1; cd ..; tar cf - made" | tar xf - --no-same-owner
check 'the real git finds no fault in ours' '' "$(cd made && git fsck --strict 2>&1 | grep -v dangling)"
check 'and the same names' "$outside" "$(cd made && eval "$look" 2>&1)"
check 'and the same logs' "$log" "$(cd made && git reflog)"

# Repositories of every kind: packed, bare, shallow, with alternates, pushed into, changed.
kinds='git init -qb main plain; cd plain; mkdir -p d/e; seq 2000 > big; printf "a\0b" > bin; ln -s big link
echo "#!" > d/run; chmod +x d/run; touch d/e/empty; git add -A; git commit -qm one
for i in 1 2 3 4 5 6 7 8 9; do seq $((i * 7)) 2000 > big; echo $i > "d/é $i"; git add -A; git commit -qm $i; done
git tag light; git tag -am annotated note HEAD~2; git checkout -qb side HEAD~3; echo s > s; git add s
git commit -qm side; git checkout -q main; git merge -q -m merged side; git mv big large; git commit -qm moved
git rm -q bin; git commit -qm removed; cd ..; cp -r plain packed; cd packed; git gc -q --prune=now; echo m > m
git add m; git commit -qm more; git repack -q; cd ..; git clone -q --bare plain bare.git
git clone -q --depth 3 "file://$PWD/plain" shallow; git clone -q --shared plain shared; cp -r plain dirty; cd dirty
echo x >> large; echo y > new; git add new; rm s; echo z > loose; cd ..; git clone -q plain pushed; cd pushed
git checkout -q side; echo p > p; git add p; git commit -qm p; git push -q origin side; cd ..
git -C plain worktree add -q ../tree side~1; git -C plain format-patch -q -3 --root -o ../mail; git init -qb main mailed
cd mailed; git am -q ../mail/*; cd ..; git -C plain archive -o ../plain.tar HEAD'
judge='for r in plain packed bare.git shallow shared dirty pushed tree mailed; do cd $r; echo "== $r"; git rev-parse HEAD
git for-each-ref; git log --format="%H %T %P %an %ad %s" --all; git ls-tree -r HEAD
git rev-list --all --objects | cut -d" " -f1 | sort | git hash-object --stdin; git log -p --stat | git hash-object --stdin
if [ -e .git ]; then git ls-files -s; git status --porcelain=v2; git diff | git hash-object --stdin; fi
git fsck --full --strict 2>&1 | grep -v "^dangling"; cd ..; done; git hash-object plain.tar; cat mail/*'
mkdir theirs && (cd theirs && eval "$kinds") > /dev/null 2>&1
outside=$(cd theirs && eval "$judge" 2>&1)
check 'every kind of the real git' "$outside" \
	"$("$cowsh" "${env[@]}" --mount "$work:$work" -c "cd $work/theirs; $judge" 2>&1)"
mkdir ours
"$cowsh" "${env[@]}" --env HOME=/tmp -c "mkdir -p $work/ours; cd $work/ours; { $kinds
	} > /dev/null 2>&1; tar cf - ." | tar xf - -C ours --no-same-owner
check 'every kind of ours' "$(sed 's/theirs/ours/' <<< "$outside")" "$(cd ours && eval "$judge" 2>&1)"
finish
