# fish completion of gate-up, made of the tables of options: see docs/packages.md.
complete -c gate-up -l host -x -d 'address the gateway listens on'
complete -c gate-up -l port -x -d 'port it listens on, 0 for any free one'
complete -c gate-up -l write -x -a '(__fish_complete_directories)' -d 'write document, units and secrets there instead of running them'
complete -c gate-up -l client -x -a 'claude cursor vscode codex windsurf claude-desktop' -d 'tell claude, cursor, vscode, codex, windsurf or claude-desktop of the gateway, then exit'
complete -c gate-up -l verbose -d 'print all that the programs log'
complete -c gate-up -l version -d 'print the version, then exit'
complete -c gate-up -l help -d 'print this text, then exit'
