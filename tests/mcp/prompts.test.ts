import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { mcpOf } from '../harness/mcp.ts'

const app = await startApp()
const { client, call } = await mcpOf(app)

test('schemas are resources', async () => {
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual(
    expect.arrayContaining(['kontor://schemas', 'kontor://schemas/person', 'kontor://schemas/deal']),
  )
  const { contents } = await client.readResource({ uri: 'kontor://schemas/deal' })
  expect(contents).toEqual([
    { uri: 'kontor://schemas/deal', mimeType: 'text/markdown', text: expect.stringContaining('| stage | select |') },
  ])
  await expect(client.readResource({ uri: 'kontor://schemas/nothing' })).rejects.toThrow('Not found')
  await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('There is no resource')
})

test('playbooks are prompts, which name only tools and operations that there are', async () => {
  const { prompts } = await client.listPrompts()
  const { tools } = await client.listTools()
  const names = new Set([...tools.map(({ name }) => name), ...app.calls.map(({ name }) => name)])
  expect(prompts.length).toBeGreaterThanOrEqual(5)
  for (const { name, arguments: given = [] } of prompts) {
    const { messages } = await client.getPrompt({
      name,
      arguments: Object.fromEntries(given.map((one) => [one.name, `a ${one.name}`])),
    })
    const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('')
    for (const [, tool, operation] of text.matchAll(/[Uu]se `(\w+)`|operation (\w+\.\w+)/g))
      expect(names.has(tool ?? operation ?? ''), `${name}: ${tool ?? operation}`).toBe(true)
    for (const { name: argument } of given) expect(text, name).toContain(`a ${argument}`)
  }
  await expect(client.getPrompt({ name: 'plan_campaign' })).rejects.toThrow('requires the argument "goal"')
})

test('calls and tokens are counted by tool', async () => {
  await call('list', { object: 'task' })
  await call('list', { object: 'nothing' })
  const { body } = await app.http.send({ method: 'GET', url: `${app.origin}/metrics` })
  expect(body).toContain('kontor_mcp_calls_total{tool="list",outcome="ok"} 1')
  expect(body).toContain('kontor_mcp_calls_total{tool="list",outcome="error"} 1')
  expect(body).toMatch(/kontor_mcp_tokens_total\{tool="list",outcome="ok"\} [1-9]/)
  expect(body).toMatch(/kontor_call_duration_seconds_count\{operation="resources.query",surface="mcp",status="200"\} 1/)
})
