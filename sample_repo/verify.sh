#!/bin/sh
# Checks every entry of a handoff log: sh verify.sh [FOLDER]
# Needs sha256sum, base64, ssh-keygen (OpenSSH 8.7 or newer), and jq or python3.
top="${1:-.}/.handoff-tui" log="${1:-.}/.handoff-tui/log"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0 count=0 genesis=

if command -v jq >/dev/null 2>&1; then
  get() { jq -j --argjson path "$2" 'getpath($path) // ""' "$1"; }
else
  get() { python3 -c '
import json, sys
value = json.load(open(sys.argv[1], encoding="utf-8"))
for step in json.loads(sys.argv[2]):
    if isinstance(value, dict):
        value = value.get(step, "")
    else:
        value = value[step] if isinstance(value, list) and step < len(value) else ""
sys.stdout.buffer.write(str(value).encode())' "$1" "$2"; }
fi

# list_files FILE: the files of the scope in a review record, as their digest is made
if command -v python3 >/dev/null 2>&1; then
  list_files() { python3 -c '
import json, sys
record = json.load(open(sys.argv[1], encoding="utf-8"))
files = {"files": record.get("scope", {}).get("files", [])}
text = json.dumps(files, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
sys.stdout.buffer.write(text.encode())' "$1"; }
else
  list_files() { jq -cjS '{files: (.scope.files // [])}' "$1"; }
fi

# say WORD ID TEXT: what an entry says of itself must not steer the terminal
say() { printf '%-4s %.12s %s\n' "$1" "$2" "$(printf '%s' "$3" | tr -cd '[:print:]')"; }
fail() { say BAD "$1" "$2"; bad=1; }

# place ID: the file of an entry; empty if it is not an id
place() {
  hex=${1#sha256:}
  case "$hex" in *[!0-9a-f]*) return ;; esac
  [ ${#hex} -eq 64 ] && printf '%s' "$log/${hex%"${hex#??}"}/$hex.intoto.jsonl"
}

# open_entry FILE NAME: what was signed, as $work/NAME
open_entry() { get "$1" '["payload"]' | base64 -d > "$work/$2" 2>/dev/null; }

# add_signers ID: who may sign by the policy entry of this id, added to $work/signers
add_signers() {
  named=$(place "$1")
  [ -n "$named" ] && [ -f "$named" ] || return
  open_entry "$named" policy
  get "$work/policy" '["predicate","files","allowed_signers"]' >> "$work/signers"
}

# check_scope: the files in the review record of a decision are those whose digest was signed
check_scope() {
  scope=$(get "$work/payload" '["subject",2,"digest","sha256"]')
  review=$(get "$work/payload" '["subject",7,"digest","sha256"]')
  case "$review" in *[!0-9a-f]*) fail "$id" "names no review record"; return ;; esac
  record="$top/reviews/$review.json"
  [ -f "$record" ] && [ ! -h "$record" ] || { say note "$id" "its review record is not here"; return; }
  [ "$(sha256sum < "$record" | cut -d' ' -f1)" = "$review" ] || fail "$id" "its review record was changed"
  [ "$(list_files "$record" | sha256sum | cut -d' ' -f1)" = "$scope" ] ||
    fail "$id" "the files in its review record are not those that it signs"
}

# find_signer: whose key made $work/sig
find_signer() {
  TZ=UTC ssh-keygen -Y find-principals -O verify-time="$at" -f "$work/signers" -s "$work/sig" 2>/dev/null | head -n 1
}

for file in "$log"/??/*.intoto.jsonl; do
  [ -e "$file" ] || [ -h "$file" ] || { echo "no entries in $log"; exit 1; }
  [ -f "$file" ] && [ ! -h "$file" ] || { fail "${file##*/}" "not a regular file"; continue; }
  id=${file##*/} id=${id%.intoto.jsonl} count=$((count + 1))
  hash=$(sha256sum < "$file" | cut -d' ' -f1)
  [ "$hash" = "$id" ] || { fail "$id" "the content is not what the name says"; continue; }
  open_entry "$file" payload
  printf 'DSSEv1 28 application/vnd.in-toto+json %d ' "$(wc -c < "$work/payload")" > "$work/pae"
  cat "$work/payload" >> "$work/pae"
  kind=$(get "$work/payload" '["predicateType"]') actor=$(get "$work/payload" '["predicate","actor"]')
  time=$(get "$work/payload" '["predicate","time"]') at=$(printf '%s' "$time" | tr -cd '0-9')
  belongs=$(get "$work/payload" '["predicate","log"]')
  [ -n "$belongs" ] || { belongs="sha256:$id"; say root "$id" "the first entry; is this your pin? sha256:$id"; }
  [ "$belongs" = "${genesis:=$belongs}" ] || fail "$id" "belongs to another log than the entries before it"

  : > "$work/signers"
  if [ "$kind" = urn:handoff-tui:policy:v1 ]; then
    get "$work/payload" '["predicate","files","allowed_signers"]' > "$work/signers"
    add_signers "$(get "$work/payload" '["predicate","previous"]')"
    act=policy
  else
    add_signers "$(get "$work/payload" '["predicate","policy"]')"
    act=$(get "$work/payload" '["predicate","decision"]')
    about=$(get "$work/payload" '["predicate","handoff"]')
    act="${act:-submission} of $about in $(get "$work/payload" '["predicate","phase"]')"
  fi

  number=0 signed=
  while text=$(get "$file" "[\"signatures\",$number,\"sig\"]") && [ -n "$text" ]; do
    printf '%s' "$text" | base64 -d > "$work/sig"
    who=$actor
    [ "$act" != policy ] || who=$(find_signer)
    if TZ=UTC ssh-keygen -Y verify -O verify-time="$at" -f "$work/signers" -I "${who:-nobody}" \
        -n handoff-log@handoff-tui -s "$work/sig" < "$work/pae" >/dev/null 2>&1
    then signed="$signed $who"
    else fail "$id" "signature $((number + 1)) is not by ${who:-anybody} of the policy it names"
    fi
    number=$((number + 1))
  done

  number=0
  while parent=$(get "$work/payload" "[\"predicate\",\"parents\",$number]") && [ -n "$parent" ]; do
    found=$(place "$parent")
    [ -n "$found" ] && [ -f "$found" ] || fail "$id" "follows $parent, which is not here"
    number=$((number + 1))
  done
  [ "$kind" != urn:handoff-tui:decision:v2 ] || check_scope
  [ -n "$signed" ] || fail "$id" "carries no signature that holds"
  [ -z "$signed" ] || say ok "$id" "$time $act, signed by$signed"
done

[ $bad -eq 0 ] && end="every name, signature, parent and scope holds" || end="look at the lines that begin with BAD"
echo "entries: $count; $end"
exit $bad
