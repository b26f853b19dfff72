# shellcheck shell=bash
# For the services of this folder, to be sourced: ports, and the process whose id is in $dir/pid.
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
free_port() {
  local try
  while try=$((20000 + RANDOM % 10000)); listens "$try"; do :; done
  echo "$try"
}
running() { [[ -f $dir/pid ]] && kill -0 "$(<"$dir/pid")" 2>/dev/null; }
