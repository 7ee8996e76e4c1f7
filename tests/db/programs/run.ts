import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const programs = {
  'close-amid-answers': new URL('close-amid-answers.ts', import.meta.url),
  start: new URL('start.ts', import.meta.url),
  'write-until-killed': new URL('write-until-killed.ts', import.meta.url),
}
type Program = keyof typeof programs

/** Starts one of the programs of this folder under the Node of the tests. */
export function start(program: Program, argument: string): ChildProcess & { readonly output: () => string } {
  const child = spawn(process.execPath, [fileURLToPath(programs[program]), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return Object.assign(child, { output: () => output })
}

/** Returns the output of a program; throws when it failed. */
export async function run(program: Program, argument: string): Promise<string> {
  const child = start(program, argument)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${child.output()}`)
  return child.output()
}
