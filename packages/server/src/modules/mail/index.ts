export { smtpMailer, type Mailer, type MailSettings } from './mailer.ts'
