import { startServer } from './server-process.ts'

/** A commit of a server, and the side of it: everything before is stored, or this too and no caller has been told. */
export type FaultPoint = {
  readonly moment: 'before' | 'after'
  readonly commit: number
  /** The commits that count; by default all. */
  readonly table?: string | undefined
}

const program = new URL('programs/die-at-commit.ts', import.meta.url)

/** A server that is killed (-9) at a commit, counted from `arm` on. */
export async function startMortal(
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
  { moment, commit, table = '' }: FaultPoint,
) {
  const server = await startServer(databaseUrl, {
    ...settings,
    NODE_OPTIONS: `--import ${program.href}`,
    DIES_AT: `${moment} ${commit} ${table}`.trim(),
  })
  return {
    ...server,
    arm: async (): Promise<void> => {
      process.kill(server.pid, 'SIGUSR2')
      // The signal is heard before what is asked after it; by then it may be dead of what it still had to do.
      for (let asked = 0; asked < 2; asked++)
        await fetch(`${new URL(server.baseUrl).origin}/healthz`).catch(() => undefined)
    },
    /** The tables that its last transaction has written; undefined while it lives. */
    lastWrites: (): string | undefined => /^dies \w+ commit \d+: (.*)$/m.exec(server.output())?.[1],
  }
}

export type Mortal = Awaited<ReturnType<typeof startMortal>>
