import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

type Program = 'start' | 'write-until-killed'

/** Starts one of the programs of this folder under the Node of the tests. */
export function start(program: Program, argument: string): ChildProcess & { readonly output: () => string } {
  const script = fileURLToPath(new URL(`${program}.ts`, import.meta.url))
  const child = spawn(process.execPath, [script, argument], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return Object.assign(child, { output: () => output })
}

/** What a program printed; throws when it failed. */
export async function run(program: Program, argument: string): Promise<string> {
  const child = start(program, argument)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${child.output()}`)
  return child.output()
}
