import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { atEnd } from './at-end.ts'
import { authorizationOf } from './api.ts'
import type { TestApp } from './app.ts'
import type { Caller } from './people.ts'

/** The newest version of the protocol, and the one before. */
export const protocols = ['2026-07-28', '2025-11-25'] as const

type Protocol = (typeof protocols)[number]

type Options = {
  readonly as?: Caller
  /** By default acme; null sends none. */
  readonly workspace?: string | null
  readonly protocol?: Protocol
}

/** A text that a tool has returned, and whether it reports an error. */
type ToolText = { readonly text: string; readonly isError: boolean }

/** Connects the client of the protocol's own SDK. */
export async function mcpOf(app: TestApp, { as = 'admin', workspace = 'acme', protocol = '2026-07-28' }: Options = {}) {
  const client = new Client(
    { name: 'tests', version: '1.0.0' },
    { versionNegotiation: { mode: protocol === '2026-07-28' ? { pin: protocol } : 'legacy' } },
  )
  const authorization = authorizationOf(as, app.credentials)
  const headers = {
    ...(authorization !== undefined && { Authorization: authorization }),
    ...(workspace !== null && { 'X-Svc-Workspace': workspace }),
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.origin}/mcp`), { requestInit: { headers } }))
  atEnd(() => client.close())
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<ToolText> => {
    const { content, isError } = await client.callTool({ name, arguments: input })
    return {
      text: content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
      isError: isError === true,
    }
  }
  return { client, call }
}

/** The rows of the first table of a text, by column. */
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
