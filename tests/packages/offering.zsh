# Sourced by the zsh that offered.zsh types to.
autoload -Uz compinit
compinit -u -D
compadd() {
  # What completion functions ask for themselves adds nothing.
  if [[ " ${@[1,(i)(-|--)]} " == *' -'[OAD]' '* ]]; then
    builtin compadd "$@"
    return
  fi
  local -a found
  builtin compadd -A found "$@"
  (( $#found )) && printf '<offered>%s</offered>\n' $found
  builtin compadd "$@"
}
ended() { print '<ended>' }
zle -N ended
bindkey '^I' list-choices
bindkey "^Y" ended
PS1=
LISTMAX=9999
zle-line-init() { print '<ready>'; zle -D zle-line-init }
zle -N zle-line-init
