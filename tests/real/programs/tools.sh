# SPDX-License-Identifier: Apache-2.0
# needs openssl gpg ssh-keygen
# Programs that lock memory, drop privileges or close what they did not open.
openssl rand -hex 8 | wc -c
openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -subj /CN=x -days 1 2>/dev/null && openssl x509 -in c -noout -subject
ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -l -f key.pub | cut -d ' ' -f 1
mkdir -m 700 g && gpg --homedir g --batch --passphrase '' --quick-gen-key a@example.org 2>/dev/null
gpg --homedir g --list-keys 2>/dev/null | grep -c uid
gpgconf --homedir g --kill all
