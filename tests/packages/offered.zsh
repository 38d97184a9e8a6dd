# offered.zsh FOLDER LINE: prints what zsh offers at the end of LINE, with completions of FOLDER. A zsh
# of its own runs on a terminal, has the line typed and the key pressed; what is told to compadd is what
# it would show.
zmodload zsh/zpty
zpty offering zsh -f -i
zpty -w offering "fpath=(${(q)1} \$fpath); source ${(q)${0:A:h}}/offering.zsh"
zpty -r -m offering text '*<ready>*' || { print -u2 'zsh did not start'; exit 1 }
zpty -w -n offering "$2"$'\t\x19'
zpty -r -m offering text '*<ended>*' || { print -u2 'zsh did not answer'; exit 1 }
zpty -d offering
print -r -- "$text" | tr -d '\r' | sed -n 's/.*<offered>\(.*\)<\/offered>.*/\1/p'
