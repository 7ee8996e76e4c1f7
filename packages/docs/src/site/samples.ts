import { isOpen, isStream } from '@kontor/contract'
import { serverUrl } from './document.ts'
import { json, literal, python, typescript } from './literal.ts'
import type { Operation } from './operations.ts'

export type Sample = {
  readonly language: 'curl' | 'TypeScript' | 'Python'
  readonly syntax: string
  readonly code: string
}

/** The path of an operation with the values of its example. */
export function pathOf({ endpoint, example }: Operation): string {
  const fill = (_braces: string, name: string): string => encodeURIComponent(example.path[name] ?? '')
  return endpoint.path.replaceAll(/\{(\w+)\}/g, fill)
}

const urlOf = (operation: Operation): string => `${serverUrl}${pathOf(operation)}`

/** The credential that opens an operation, by the variable that holds it; none for what is open to all. */
const credentialOf = ({ endpoint, takesKey }: Operation): 'KONTOR_API_KEY' | 'KONTOR_ACCESS_TOKEN' | undefined => {
  if (isOpen(endpoint)) return undefined
  return takesKey ? 'KONTOR_API_KEY' : 'KONTOR_ACCESS_TOKEN'
}

const schemes = { KONTOR_API_KEY: 'api-key', KONTOR_ACCESS_TOKEN: 'Bearer' } as const

const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function curl(operation: Operation): string {
  const { method } = operation.endpoint
  const { body } = operation.example
  const credential = credentialOf(operation)
  const isPlain = method === (body === undefined ? 'GET' : 'POST')
  const parts = [
    `curl${isStream(operation.endpoint) ? ' -N' : ''}${isPlain ? '' : ` -X ${method}`} ${inShell(urlOf(operation))}`,
    ...(credential === undefined ? [] : [`-H "Authorization: ${schemes[credential]} $${credential}"`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${inShell(literal(body, json))}`]),
  ]
  return parts.join(' \\\n  ')
}

function inTypeScript(operation: Operation): string {
  const { domain, key, endpoint, example } = operation
  const credential = credentialOf(operation) ?? 'KONTOR_API_KEY'
  const name = credential === 'KONTOR_API_KEY' ? 'apiKey' : 'accessToken'
  const input = { ...example.path, ...(example.body !== undefined && { body: example.body }) }
  const call = `(${domain}.${key}, ${literal(input, typescript)})`
  const what = isStream(endpoint)
    ? [`for await (const event of rest.stream${call}) {`, '  console.log(event)', '}']
    : [`const { body } = await rest.call${call}`, 'console.log(body)']
  return [
    `import { createRestClient, ${domain} } from '@kontor/client'`,
    '',
    'const rest = createRestClient({',
    `  url: '${serverUrl}',`,
    `  ${name}: process.env.${credential}!,`,
    '})',
    ...what,
  ].join('\n')
}

function inPython(operation: Operation): string {
  const { endpoint, example, successes } = operation
  const credential = credentialOf(operation)
  const usual = successes.find(({ status }) => status === String(endpoint.status ?? 200))
  const isText = usual?.content?.['application/json'] === undefined
  const lines = [
    `"${endpoint.method}",`,
    `"${urlOf(operation)}",`,
    ...(credential === undefined
      ? []
      : [`headers={"Authorization": f"${schemes[credential]} {os.environ['${credential}']}"},`]),
    ...(example.body === undefined ? [] : [`json=${literal(example.body, python, '    ')},`]),
    ...(isStream(endpoint) ? ['stream=True,'] : []),
  ]
  return [
    ...(credential === undefined ? [] : ['import os']),
    'import requests',
    '',
    'response = requests.request(',
    ...lines.map((line) => `    ${line}`),
    ')',
    'response.raise_for_status()',
    ...(isStream(endpoint)
      ? ['for line in response.iter_lines():', '    print(line.decode())']
      : [`print(response.${isText ? 'text' : 'json()'})`]),
  ].join('\n')
}

/** The example of an operation as programs send it. */
export const samplesOf = (operation: Operation): readonly Sample[] => [
  { language: 'curl', syntax: 'bash', code: curl(operation) },
  { language: 'TypeScript', syntax: 'typescript', code: inTypeScript(operation) },
  { language: 'Python', syntax: 'python', code: inPython(operation) },
]
