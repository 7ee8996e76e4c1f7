import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import { playbooks } from './playbooks.ts'

/** Serves the playbooks as prompts. */
export function servePrompts(server: Server): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: playbooks.map(({ name, title, description, arguments: given }) => ({
      name,
      title,
      description,
      arguments: [...given],
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }) => {
    const playbook = playbooks.find(({ name }) => name === params.name)
    if (playbook === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${params.name}".`)
    const given = params.arguments ?? {}
    const missing = playbook.arguments.find(({ name, required }) => required && (given[name] ?? '') === '')
    if (missing !== undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt requires the argument "${missing.name}".`)
    const text = playbook
      .steps(given)
      .map((step, index) => (index === 0 ? step : `${index}. ${step}`))
      .join('\n')
    return { description: playbook.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
}
