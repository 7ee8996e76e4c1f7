/**
 * Loaded into a server or worker before its own code (`node --import`), which then knows one more migration: the next
 * version of Kontor, from the same sources. In your installation, the next version is another folder or image.
 */
import { registerHooks } from 'node:module'

const migration = `{
  name: '9999-next-version',
  rolling: true,
  up: () => ['record', 'event', 'job'].map((table) => \`alter table \${table} add column next_version text\`),
  down: () => ['record', 'event', 'job'].map((table) => \`alter table \${table} drop column next_version\`),
}`

registerHooks({
  load(url, context, load) {
    const loaded = load(url, context)
    if (!url.endsWith('/server/src/db/migrations/index.ts')) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    return { ...loaded, source: source.replace('\n]\n', `\n${migration},\n]\n`) }
  },
})
