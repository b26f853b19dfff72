#pragma once
// RestSigner: signs requests to a REST catalog that AWS's gateways guard (Signature Version 4).
//
// A bearer token that is there as well moves to the header Original-Authorization, where Java puts
// it. Safe from several threads. Errors are those of the credentials. No message holds a secret.

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "http/message.h"
#include "io/s3_options.h"

namespace weir::iceberg {

class RestSigner {
 public:
  /// `region` empty: of the environment or profile. `credentials` nullptr: the default chain.
  RestSigner(std::string service, std::string region,
             std::shared_ptr<io::S3CredentialSource> credentials, Clock& clock);

  Status Sign(http::Request& request);
  /// The server refused what was signed: the credentials may have ended.
  void Discard() { credentials_->Discard(); }

 private:
  std::string service_;
  std::string region_;
  std::shared_ptr<io::S3CredentialSource> credentials_;
  Clock& clock_;
};

}  // namespace weir::iceberg
