import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The versions of the protocol that an agent may speak. */
export type ProtocolVersion = '2026-07-28' | '2025-11-25'

/** Calls a tool, and returns the text that a model would read. */
export type CallTool = (name: string, input?: Readonly<Record<string, unknown>>) => Promise<string>

export type Agent = { readonly call: CallTool; readonly close: () => Promise<void> }

type Connection = { readonly url: string; readonly apiKey: string; readonly workspace: string }

/** Connects to the MCP server of Kontor with a personal key. */
export async function connectAgent({ url, apiKey, workspace }: Connection, version: ProtocolVersion): Promise<Agent> {
  const mode = version === '2026-07-28' ? { pin: version } : ('legacy' as const)
  const client = new Client({ name: 'example-agent', version: '1.0.0' }, { versionNegotiation: { mode } })
  const headers = { Authorization: `api-key ${apiKey}`, 'X-Svc-Workspace': workspace }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return {
    async call(name, input = {}) {
      const { content, isError } = await client.callTool({ name, arguments: { ...input } })
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
      assert.notEqual(isError, true, `${name} failed:\n${text}`)
      return text
    },
    close: () => client.close(),
  }
}

/** The rows of the table in a text, by column. */
export function rowsOf(text: string): Record<string, string>[] {
  const [head = [], , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    )
  return rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index] ?? ''])))
}

/** All rows of a list, however many responses they take. */
export async function allRows(
  call: CallTool,
  input: Readonly<Record<string, unknown>>,
): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const text = await call('list', { limit: 200, ...input, ...(cursor !== undefined && { cursor }) })
    rows.push(...rowsOf(text))
    cursor = /"cursor": "([\w-]+)"/.exec(text)?.[1]
  }
  return rows
}

/** The id in a cell such as `Remington Rand (019b…)`. */
export const idIn = (cell: string): string => /\(([0-9a-f-]{36})\)$/.exec(cell)?.[1] ?? cell
