#!/usr/bin/env node
// The packed command line begins here, in words that every Node reads: one that is too old would stop with a syntax
// error in the commands themselves.
const commands = './commands.js'
const [major, minor] = process.versions.node.split('.').map(Number)

if (major > 22 || (major === 22 && minor >= 12)) void import(commands)
else {
  process.stderr.write(
    'kontor requires Node 22.12 or newer. This is Node ' +
      process.versions.node +
      ', in ' +
      process.execPath +
      '. Newer versions are at https://nodejs.org.\n',
  )
  process.exitCode = 1
}
