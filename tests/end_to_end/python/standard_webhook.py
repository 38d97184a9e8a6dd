"""Has PyPI's standardwebhooks verify a delivery (JSON: secret, headers, body), and prints what it says."""
import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

delivery = json.loads(sys.argv[1])
try:
    print(json.dumps({"good": Webhook(delivery["secret"]).verify(delivery["body"], delivery["headers"])}))
except WebhookVerificationError as error:
    print(json.dumps({"bad": str(error)}))
