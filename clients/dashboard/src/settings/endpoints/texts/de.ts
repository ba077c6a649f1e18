import type { Entry } from '@support-chat/ui/translator.js';
import type { EndpointsKey } from './en.js';

export const de: Record<EndpointsKey, Entry> = {
  enabled: 'Eingeschaltet',
  disabled: 'Ausgeschaltet',
  disable: 'Ausschalten',
  done: 'Fertig',
  secret: 'Signaturgeheimnis',
  secretIntro:
    'Jede Anfrage ist signiert, damit Ihr Server prüfen kann, dass sie von hier kommt. Erneuern Sie das Geheimnis, wenn jemand anders es kennen könnte.',
  secretReady: 'Signaturgeheimnis von {name}',
  secretUse: 'Ihr Server prüft damit die Signatur jeder Anfrage.',
  secretOverlap:
    'Hinterlegen Sie es innerhalb von 24 Stunden auf Ihrem Server. Bis dahin ist jede Anfrage auch mit dem alten signiert.',
  secretHint: 'Kopieren Sie es jetzt. Sie sehen es nicht noch einmal.',
  rotate: 'Geheimnis erneuern',
  rotateTitle: 'Geheimnis von {name} erneuern?',
  rotateText: 'Sie erhalten einmalig ein neues Geheimnis. Das alte gilt noch 24 Stunden, dann endet es.',
  deleteTitle: '{name} löschen?',
  test: 'Test',
  runTest: 'Test senden',
  testTimeout: 'Es kam keine rechtzeitige Antwort. Der Server hat den Test vielleicht erhalten.',
  addressMissing: 'Es gibt noch keine Adresse. Geben Sie eine ein und speichern Sie sie zuerst.',
  latency: '{ms} ms',
  answered: 'Ihr Server hat nach {latency} mit {status} geantwortet.',
  answeredBadly: 'Ihr Server hat nach {latency} mit {status} geantwortet. Nur 200 bis 299 zählt als Erfolg.',
  unreachable:
    'Nicht erreicht: Nichts hat rechtzeitig geantwortet, der Port ist geschlossen, oder die Adresse führt in ein privates Netz, das nie aufgerufen wird.',
  addressInvalid: 'Geben Sie eine ganze Adresse ein, die mit https:// beginnt.',
  httpsRequired: 'Die Adresse muss mit https:// beginnen.',
  addressNotAllowed: 'Diese Adresse führt in ein privates Netz, das nie aufgerufen wird.',
  addressWithPassword: 'Lassen Sie Benutzername und Passwort in der Adresse weg.',
  portNotAllowed: 'Verwenden Sie Port 80, 443 oder einen über 1023.',
};
