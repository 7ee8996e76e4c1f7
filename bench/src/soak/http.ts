import { Agent, request, type IncomingMessage } from 'node:http'

/** Where a workspace is served, and as whom it is called. */
type Target = {
  readonly port: number
  readonly workspace: string
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the body of a response; rejects unless the status is a success. */
export type Call = <T>(method: string, path: string, body?: object) => Promise<T>

const connectionsMax = 64

const begin = (
  target: Target,
  agent: Agent,
  [method, path, text]: readonly [method: string, path: string, text?: string | undefined],
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { port, workspace, headers } = target
    const options = {
      host: '127.0.0.1',
      port,
      method,
      path: `/v1/workspaces/${workspace}/${path}`,
      agent,
      headers: { ...headers, ...(text !== undefined && { 'Content-Length': Buffer.byteLength(text) }) },
    }
    const sent = request(options, resolve)
    sent.once('error', (error: NodeJS.ErrnoException) => {
      // The server has closed a connection that was idle, just when it was to be used again.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(begin(target, agent, [method, path, text]))
      else reject(error)
    })
    sent.end(text)
  })

/** Calls the API of a workspace over connections that stay open. */
export function callerTo(target: Target): { readonly call: Call; readonly close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax })
  const call: Call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await begin(target, agent, [method, path, body && JSON.stringify(body)])
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    if (answer.statusCode === undefined || answer.statusCode >= 300)
      throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text.slice(0, 300)}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  return { call, close: () => agent.destroy() }
}

/** Opens the stream of the workspace's events, and counts those that it hears. */
export async function listenTo(target: Target): Promise<{ readonly heard: () => number; readonly close: () => void }> {
  const answer = await begin(target, new Agent(), ['GET', 'events/stream'])
  if (answer.statusCode !== 200) throw new Error(`the listener was answered ${answer.statusCode}`)
  let heard = 0
  let rest = ''
  answer.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    heard += lines.filter((line) => line.startsWith('data: ')).length
  })
  // A stream that breaks has missed events, which is found at the end.
  answer.on('error', () => undefined)
  return { heard: () => heard, close: () => answer.destroy() }
}
