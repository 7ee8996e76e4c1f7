import { z } from 'zod'

const issuerFault = 'must be an https URL, or an http URL of this machine'

const isIssuer = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
}

const text = z.string().min(1).optional()

/** The variables of the providers by which people sign in. */
export const providerVariables = {
  GOOGLE_CLIENT_ID: text.describe('lets people sign in with Google: the id of a client of type "Web application"'),
  GOOGLE_CLIENT_SECRET: text.describe('secret of the Google client'),
  MICROSOFT_CLIENT_ID: text.describe('lets people sign in with Microsoft: the id of an app registration'),
  MICROSOFT_CLIENT_SECRET: text.describe('secret of the Microsoft client'),
  MICROSOFT_TENANT: z
    .uuid('must be the id of a tenant, a UUID')
    .optional()
    .describe('the tenant whose people may sign in; required with MICROSOFT_CLIENT_ID'),
  SIGN_IN_ISSUER: z
    .string()
    .refine(isIssuer, issuerFault)
    .optional()
    .describe('lets people sign in with another provider of OpenID Connect: its issuer'),
  SIGN_IN_CLIENT_ID: text.describe('client id of Kontor at SIGN_IN_ISSUER'),
  SIGN_IN_CLIENT_SECRET: text.describe('client secret of Kontor at SIGN_IN_ISSUER'),
  SIGN_IN_NAME: z.string().min(1).max(40).default('single sign-on').describe('the name of that provider on its button'),
} as const

type Values = z.infer<z.ZodObject<typeof providerVariables>>

/** A provider of OpenID Connect by which people sign in. */
export type SignInProvider = {
  /** Its name in addresses of ours, which the provider knows. */
  readonly id: string
  /** Its name on the button. */
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

type Registered = Omit<SignInProvider, 'id' | 'name'>

/** Returns a provider if all of its settings are there; `onMissing` gets the settings that one of them needs. */
function providerOf(
  named: Pick<SignInProvider, 'id' | 'name'>,
  settings: Readonly<Record<string, string | undefined>>,
  registered: (values: readonly string[]) => Registered,
  onMissing: (first: string, missing: readonly string[]) => never,
): SignInProvider[] {
  const missing = Object.keys(settings).filter((name) => settings[name] === undefined)
  const first = Object.keys(settings).find((name) => settings[name] !== undefined)
  if (first === undefined) return []
  if (missing.length > 0) return onMissing(first, missing)
  return [{ ...named, ...registered(Object.values(settings).map(String)) }]
}

/** Returns the providers that the settings name. */
export function readProviders(
  {
    GOOGLE_CLIENT_ID,
    GOOGLE_CLIENT_SECRET,
    MICROSOFT_TENANT,
    MICROSOFT_CLIENT_ID,
    MICROSOFT_CLIENT_SECRET,
    SIGN_IN_ISSUER,
    SIGN_IN_CLIENT_ID,
    SIGN_IN_CLIENT_SECRET,
    SIGN_IN_NAME: name,
  }: Values,
  onMissing: (first: string, missing: readonly string[]) => never,
): SignInProvider[] {
  return [
    ...providerOf(
      { id: 'google', name: 'Google' },
      { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET },
      ([clientId = '', clientSecret = '']) => ({ issuer: googleIssuer, clientId, clientSecret }),
      onMissing,
    ),
    ...providerOf(
      { id: 'microsoft', name: 'Microsoft' },
      { MICROSOFT_TENANT, MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET },
      ([tenant = '', clientId = '', clientSecret = '']) => ({
        issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
        clientId,
        clientSecret,
      }),
      onMissing,
    ),
    ...providerOf(
      { id: 'oidc', name },
      { SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID, SIGN_IN_CLIENT_SECRET },
      ([issuer = '', clientId = '', clientSecret = '']) => ({ issuer, clientId, clientSecret }),
      onMissing,
    ),
  ]
}

const googleIssuer = 'https://accounts.google.com'
