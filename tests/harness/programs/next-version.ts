/**
 * Loaded into a server or worker before its own code, which then knows one more migration: a next version from the same
 * sources. NEXT_VERSION says of which kind: `rolling`, or `strict`, which does not run beside older processes.
 */
import { registerHooks } from 'node:module'

const added = {
  rolling: `{
    name: '9998-next',
    rolling: true,
    up: () =>
      ['record', 'job', 'workspace', 'event'].map((table) => \`alter table \${table} add column next_version text\`),
    down: () => [],
  }`,
  strict: `{ name: '9999-next', up: () => ['alter table comment rename to remark'], down: () => [] }`,
}[process.env['NEXT_VERSION'] as 'rolling' | 'strict']

registerHooks({
  load(url, context, load) {
    const loaded = load(url, context)
    if (!url.endsWith('/server/src/db/migrations/index.ts')) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    return { ...loaded, source: source.replace('\n]\n', `\n  ${added},\n]\n`) }
  },
})
