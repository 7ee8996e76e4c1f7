import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Option } from 'commander'
import { CommandFailed } from '../errors.ts'
import type { KeptLogin } from './kept-login.ts'

type Logins = Readonly<Record<string, KeptLogin>>

/** Where logins are kept, by the address of the API: only their owner reads the file. */
export const loginsOption = (): Option =>
  new Option('--logins <file>', 'file of the logins')
    .env('KONTOR_LOGINS')
    .default(join(homedir(), '.config', 'kontor', 'logins.json'), '~/.config/kontor/logins.json')

export const findLogin = (file: string, url: string): KeptLogin | undefined => readLogins(file)[url]

/** Keeps a login, or forgets it where there is none. */
export function keepLogin(file: string, url: string, login: KeptLogin | undefined): void {
  const { [url]: _, ...others } = readLogins(file)
  const logins: Logins = login === undefined ? others : { ...others, [url]: login }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600 })
  // A command beside this one never reads half of the file.
  renameSync(draft, file)
}

function readLogins(file: string): Logins {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  try {
    return JSON.parse(text) as Logins
  } catch {
    throw new CommandFailed(`${file} is damaged. Remove it, and log in again.`)
  }
}
