import { errors, Provider, type AdapterPayload } from 'oidc-provider'
import { isRecord, isString } from '../../lib/guards.ts'
import { hashSecret } from '../../kernel/ids.ts'
import type { OAuthServices } from './services.ts'

export const deviceCodeSeconds = 600

/** Kept for as long again, so that a device that asks late is told that its code has expired. */
const keptSeconds = 2 * deviceCodeSeconds

/**
 * The request of a device and the reply of its person are apart: each is encrypted with the code that its own reader
 * brings, and the database holds neither.
 */
const [deviceModel, userModel, answerModel] = ['DeviceCode', 'UserCode', 'DeviceAnswer']

/** Request of a device that a person finds by its code. */
export type DeviceRequest = {
  readonly userCode: string
  readonly clientId: string
  readonly scope: string
  /** Names the device's own code, and does not tell it. */
  readonly device: string
}

type Answer = Readonly<Record<string, unknown>>

/** Keeps a code that has just been made for a device, and what its person will look at. */
export async function saveDeviceCode({ artifacts, clock }: OAuthServices, id: string, payload: AdapterPayload) {
  const { userCode = '', clientId, params } = payload
  const scope = params?.['scope']
  const expiresAt = clock.now() + deviceCodeSeconds * 1000
  await artifacts.save(deviceModel, id, { ...payload, expiresAt }, keptSeconds)
  const asked = { clientId, scope: isString(scope) ? scope : '', device: hashSecret(id) }
  await artifacts.save(userModel, userCode, asked, deviceCodeSeconds)
}

/**
 * Returns the request of a device, with the reply of its person. Refuses the device that made the code if it polls
 * too often or too late; of any other the library sees that the code is not its own.
 */
export async function findDeviceCode(
  { artifacts, clock, tokenLimits, devices }: OAuthServices,
  id: string,
): Promise<AdapterPayload | undefined> {
  const found = await artifacts.find(deviceModel, id)
  if (found === undefined) return undefined
  const { expiresAt, ...payload } = found
  const { ctx } = Provider
  if (payload['clientId'] !== ctx?.oidc.client?.clientId) return payload
  // Asking again is what it shall do, and no guess.
  if (ctx !== undefined) tokenLimits.excuse(ctx.req)
  const device = hashSecret(id)
  if (!devices.polls.take(device).allowed) throw new errors.SlowDown()
  if (Number(expiresAt) <= clock.now()) throw new errors.ExpiredToken('the device code is expired')
  const answer = (await artifacts.find(answerModel, device))?.['answer']
  return { ...payload, ...(isRecord(answer) && answer) }
}

/** The request behind what a person has typed; undefined where there is none, or it was answered. */
export async function findDeviceRequest(
  { artifacts }: Pick<OAuthServices, 'artifacts'>,
  typed: string,
): Promise<DeviceRequest | undefined> {
  const userCode = typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
  const found = await artifacts.find(userModel, userCode)
  if (found === undefined || found['consumed'] !== undefined) return undefined
  const [clientId, scope, device] = [found['clientId'], found['scope'], found['device']].map(String)
  return { userCode, clientId: clientId ?? '', scope: scope ?? '', device: device ?? '' }
}

/** Takes a request for the one answer that it gets; false for the second of two answers. */
export const takeDeviceRequest = (
  { artifacts }: Pick<OAuthServices, 'artifacts'>,
  { userCode }: DeviceRequest,
): Promise<boolean> => artifacts.consume(userModel, userCode)

/** Tells the device. What is said with a grant ends with that. */
export const answerDevice = (
  { artifacts }: Pick<OAuthServices, 'artifacts'>,
  { clientId, device }: DeviceRequest,
  answer: Answer,
): Promise<void> => {
  const { accountId, grantId } = answer
  return artifacts.save(answerModel, device, { clientId, accountId, grantId, answer }, deviceCodeSeconds)
}
