import { isOpen, isStream, version } from '@kontor/contract'
import { folders, kept } from './collection-order.ts'
import { setUp, type SetUp } from './collection-setup.ts'
import { pairs, variables, withVariables } from './collection-variables.ts'
import { introduction } from './guides.ts'
import { json, literal } from './literal.ts'
import type { Operation } from './operations.ts'

/** Where the collection stands in the site. */
export const collectionFile = 'kontor.postman_collection.json'

const withKey = {
  type: 'apikey',
  apikey: pairs({ key: 'Authorization', value: 'api-key {{apiKey}}', in: 'header' }),
} as const

const withToken = { type: 'bearer', bearer: pairs({ token: '{{accessToken}}' }) } as const
const withNothing = { type: 'noauth' } as const

const script = (listen: 'test' | 'prerequest', exec: readonly string[]) => ({
  listen,
  script: { type: 'text/javascript', exec },
})

/** Returns the scripts of a request; none if it needs none. */
const eventsOf = (...events: readonly ReturnType<typeof script>[]) => {
  const some = events.filter(({ script: { exec } }) => exec.length > 0)
  return some.length > 0 && { event: some }
}

const bodyOf = (body: unknown) =>
  body !== undefined && {
    body: { mode: 'raw', raw: withVariables(literal(body, json)), options: { raw: { language: 'json' } } },
  }

const headersOf = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  pairs({ ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers })

/** Returns the credential of a request where it differs from that of the collection. */
function credentialOf({ endpoint, takesKey }: Operation): object {
  if (isOpen(endpoint)) return { auth: withNothing }
  return takesKey ? {} : { auth: withToken }
}

/** The address as these programs write it, with the values of the example; parameters of the query are off. */
function addressOf({ endpoint, parameters, example }: Operation) {
  const path = endpoint.path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  const values = Object.entries(example.path).map(([key, value]) => ({
    key,
    value: key === 'workspace' ? '{{workspace}}' : withVariables(value),
  }))
  return {
    raw: `{{baseUrl}}/${path}`,
    host: ['{{baseUrl}}'],
    path: path.split('/'),
    variable: values,
    query: parameters
      .filter((one) => one.in === 'query')
      .map(({ name, description = '' }) => ({ key: name, value: '', description, disabled: true })),
  }
}

/** An endless response would stop a run; only the service that has been given an address can check it. */
const isSkipped = ({ endpoint, id }: Operation): boolean => isStream(endpoint) || id === 'inboundWebhooks.check'

const onlyIfAsked = ["if (pm.variables.get('all') !== 'true') pm.execution.skipRequest()"]

const requestOf = (operation: Operation) => {
  const { id, summary, description, endpoint, example } = operation
  return {
    name: summary,
    request: {
      method: endpoint.method,
      description: `${description}\n\n\`${id}\``.trim(),
      url: addressOf(operation),
      header: headersOf(example.body),
      ...bodyOf(example.body),
      ...credentialOf(operation),
    },
    ...eventsOf(script('prerequest', isSkipped(operation) ? onlyIfAsked : []), script('test', kept[id] ?? [])),
  }
}

const setUpRequest = ({ name, method, path, body, headers, script: exec = [] }: SetUp) => {
  const parts = ['workspaces', '{{workspace}}', ...withVariables(path).split('/')]
  return {
    name,
    request: {
      method,
      url: { raw: `{{baseUrl}}/${parts.join('/')}`, host: ['{{baseUrl}}'], path: parts },
      header: headersOf(body, headers),
      ...bodyOf(body),
    },
    ...eventsOf(script('test', exec)),
  }
}

/** Written out, because a form of these programs takes its files from a disk. */
const recordingForm = [
  '--recording',
  'Content-Disposition: form-data; name="key"',
  '',
  '{{uploadKey}}',
  '--recording',
  'Content-Disposition: form-data; name="file"; filename="recording.mp4"',
  'Content-Type: video/mp4',
  '',
  'A recording',
  '--recording--',
  '',
].join('\r\n')

/** Uploads to the URL that an operation has returned; the next one says that the file is there. */
const uploads: Readonly<Record<string, object>> = {
  'attachments.upload': {
    name: 'Upload the file',
    request: {
      method: 'PUT',
      url: '{{uploadUrl}}',
      auth: withNothing,
      body: { mode: 'raw', raw: 'One compiler that people can read.' },
    },
  },
  'meetings.uploadMedia': {
    name: 'Upload the recording',
    request: {
      method: 'POST',
      url: '{{uploadUrl}}',
      auth: withNothing,
      header: pairs({ 'Content-Type': 'multipart/form-data; boundary=recording' }),
      body: { mode: 'raw', raw: recordingForm },
    },
  },
}

/** Repeats a request that the server wants later; any other failure fails the run. */
const outcome = [
  "const tries = Number(pm.variables.get('tries') ?? 0)",
  "const isLater = pm.response.headers.has('Retry-After') && tries < 60",
  "pm.variables.set('tries', isLater ? tries + 1 : 0)",
  'if (isLater) {',
  '  pm.execution.setNextRequest(pm.info.requestId)',
  '  setTimeout(() => undefined, 500)',
  "} else pm.test('succeeds', () => pm.expect(pm.response.code, pm.response.text()).to.be.below(300))",
]

const howToRun = `To run the whole collection in order, use a new workspace with a second user who is no admin. Set the
variables \`workspace\`, \`apiKey\` (an admin's) and \`accessToken\`. Each request keeps the ids that later ones use.
Event streams and checks of addresses are skipped unless \`all\` is \`true\`.`

/**
 * All operations with their examples, in the format of Postman's collections 2.1, which Bruno, Insomnia, Hoppscotch and
 * others read too.
 */
export const collection = {
  info: {
    name: 'Kontor',
    version,
    description: `${introduction}\n\n${howToRun}`,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  auth: withKey,
  event: [script('test', outcome)],
  variable: variables,
  item: [
    {
      name: 'Set up',
      description: 'Creates the records that the other requests use. The sample data has them already.',
      item: setUp.map(setUpRequest),
    },
    ...folders.map(({ title, description, operations }) => ({
      name: title,
      description,
      item: operations.flatMap((one) => [requestOf(one), ...(uploads[one.id] === undefined ? [] : [uploads[one.id]])]),
    })),
  ],
}
